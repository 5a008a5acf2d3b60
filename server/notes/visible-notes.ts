import type { NoteScope } from '#contracts/note.contract.ts'
import { noteInScope } from '#domain/zone/zone-scope.rules.ts'
import { readInTime } from '#server/garden/garden-reading.ts'
import { type GardenLinks, linksSoFar } from '#server/garden/note-links.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type GardenNote, gardenAt } from '#server/retrieval/garden-index.ts'

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
 * The garden at a commit as somebody with this scope sees it: notes outside it do not exist for the reader. Waits for the parser no longer
 * than a moment ([garden#reading]); a zone of tags goes by what is certain by then.
 */
export async function visibleGarden(
  garden: GitRepository,
  scope: NoteScope,
  revision?: string,
): Promise<VisibleGarden> {
  const whole = await gardenAt(garden, revision)
  const soFar = await readInTime(whole.notes)
  const named = whole.notes.map((note) => {
    const { title = note.path, tags = [] } = soFar.note(note.path) ?? {}
    return { ...note, title, tags }
  })
  const notes = scope === null ? named : named.filter((n) => noteInScope(scope, n.path, n.tags))
  const byPath = new Map(notes.map((n) => [n.path, n]))
  return {
    revision: whole.revision,
    links: async () => linksSoFar(whole.notes, soFar),
    notes,
    reading: whole.notes.some(({ path }) => !soFar.isParsed(path) && mayBeShown(scope, path)),
    find: (path) => byPath.get(path),
  }
}

/** Before its tags are known. */
const mayBeShown = (scope: NoteScope, path: string): boolean =>
  !scope?.folders.length || noteInScope({ folders: scope.folders, tags: [] }, path, [])
