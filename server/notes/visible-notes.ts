import type { NoteScope } from '#contracts/note.contract.ts'
import { noteName } from '#domain/garden/garden-path.ts'
import { noteInScope } from '#domain/zone/zone-scope.rules.ts'
import { type NotesSoFar, readInTime } from '#server/garden/garden-reading.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { type GardenLinks, linksSoFar } from '#server/garden/note-links.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { gardenInTime } from '#server/retrieval/garden-index.ts'
import { type GardenNote, noteEntries } from '#server/retrieval/garden-notes.ts'

/** Milliseconds for the front matter of what is not parsed by then. */
const STATE_MS = 100

export type VisibleNote = GardenNote & { title: string; tags: string[] }
export type VisibleGarden = {
  revision: string
  /** Of the whole garden, as far as it is parsed. */
  links(): Promise<GardenLinks>
  /** Notes that the scope shows, in byte order of their paths. */
  notes: readonly VisibleNote[]
  /** Whether notes that the scope may show are still being parsed: titles, tags and links may be missing, and notes of a zone of tags. */
  reading: boolean
  find(path: string): VisibleNote | undefined
}

/**
 * The garden at a commit as somebody with this scope sees it: notes outside it do not exist for the reader, nor at an old revision those that have
 * left it since ([notes#invariants]). Waits for texts and parser no longer than until this moment of `performance.now()` ([garden#reading]); a zone
 * of tags goes by what is certain by then.
 */
export async function visibleGarden(
  garden: GitRepository,
  scope: NoteScope,
  revision?: string,
  until = performance.now() + PATIENCE_MS,
): Promise<VisibleGarden> {
  const at = (commit: string) => shownAt(garden, scope, { commit, until })
  if (scope === null && revision !== undefined) return at(revision)
  const head = await garden.head()
  if (revision === undefined || revision === head) return at(head)
  const [then, now] = await Promise.all([at(revision), at(head)])
  return {
    ...then,
    notes: then.notes.filter(({ path }) => now.find(path)),
    reading: then.reading || now.reading,
    find: (path) => (now.find(path) ? then.find(path) : undefined),
  }
}

type Moment = { commit: string; until: number }

/** By what the notes said at the commit. */
async function shownAt(
  garden: GitRepository,
  scope: NoteScope,
  { commit, until }: Moment,
): Promise<VisibleGarden> {
  const { notes, soFar } = await namedNotes(garden, commit, until)
  const named = notes.map((note): VisibleNote => {
    const { title = noteName(note.path), tags = [] } = soFar.note(note.path) ?? {}
    return { ...note, title, tags }
  })
  const shown = scope === null ? named : named.filter((n) => noteInScope(scope, n.path, n.tags))
  const byPath = new Map(shown.map((n) => [n.path, n]))
  return {
    revision: commit,
    links: async () => linksSoFar(soFar === UNREAD ? [] : notes, soFar),
    notes: shown,
    reading: notes.some(({ path }) => !soFar.isParsed(path) && mayBeShown(scope, path)),
    find: (path) => byPath.get(path),
  }
}

type Named = { notes: readonly GardenNote[]; soFar: NotesSoFar }

/** Nothing is known of a note whose text is not read. */
const UNREAD: NotesSoFar = { whole: false, note: () => undefined, isParsed: () => false }

async function namedNotes(garden: GitRepository, commit: string, until: number): Promise<Named> {
  const left = () => until - performance.now()
  const whole = await gardenInTime(garden, commit, left())
  if (whole)
    return { notes: whole.notes, soFar: await readInTime(whole.notes, { parse: left(), state: STATE_MS }) }
  const entries = await noteEntries(garden, commit)
  return { notes: entries.map(({ path }) => ({ path, text: '', sha256: '', bytes: 0 })), soFar: UNREAD }
}

/** Before its tags are known. */
const mayBeShown = (scope: NoteScope, path: string): boolean =>
  !scope?.folders.length || noteInScope({ folders: scope.folders, tags: [] }, path, [])
