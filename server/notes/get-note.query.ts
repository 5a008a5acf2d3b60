/** One note as a page shows it, and the cited place of a citation. What the scope does not show is not there. */
import type {
  ExcerptInput,
  ExcerptView,
  NoteGetInput,
  NoteScope,
  NoteView,
} from '#contracts/note.contract.ts'
import { sameName } from '#domain/garden/garden-path.ts'
import { noteInScope } from '#domain/zone/zone-scope.rules.ts'
import { type ContentLinks, type NoteContent, plainContent } from '#server/garden/linked-content.ts'
import type { GardenLinks } from '#server/garden/note-links.ts'
import { type NoteInTime, parsedInTime, renderedInTime } from '#server/garden/read-note.ts'
import { linkResolver } from '#server/garden/resolve-link.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { gardenInTime } from '#server/retrieval/garden-index.ts'
import { type GardenNote, noteAt, noteEntries, wholeNotes } from '#server/retrieval/garden-notes.ts'
import { linkingLine } from './linking-line.ts'
import { folderOf } from './list-notes.query.ts'
import { versionInScope } from './readable-version.ts'
import { type VisibleGarden, visibleGarden } from './visible-notes.ts'

/** A note as its own file says it. */
export type NoteText = Omit<NoteView, 'summary' | 'comments'>

/** Milliseconds that one note is waited for; of one that is not read by then its text is shown as it is written ([garden#reading]). */
const NOTE_MS = 800

/** The note, or null when there is none that the reader may see; a revision that is no commit of the garden is none. */
export async function getNote(
  garden: GitRepository,
  scope: NoteScope,
  input: NoteGetInput,
): Promise<NoteText | null> {
  const until = performance.now() + NOTE_MS
  if (!(await mayRead(garden, scope, input, until))) return null
  const revision = input.revision ?? (await garden.head())
  const note = await noteOf(garden, revision, input.path)
  if (!note) return null
  // The note itself is read before the garden around it.
  const [parsed, seen, markdown] = await Promise.all([
    parsedInTime(note, until),
    visibleGarden(garden, scope, revision, until),
    wholeText(garden, revision, note),
  ])
  if (scope !== null && !noteInScope(scope, note.path, parsed.tags)) return null
  const links = await seen.links()
  const resolve = linkResolver(
    seen.notes,
    seen.notes.map((n) => n.path),
  )
  const visible = (path: string | null) =>
    path !== null && (path === note.path || seen.find(path)) ? path : null
  const { content, late } = await contentOf(markdown, parsed, until, (kind, target) =>
    visible(resolve(note.path, { kind, target })),
  )
  return {
    path: note.path,
    title: parsed.title,
    folder: folderOf(note.path),
    tags: parsed.tags,
    revision: seen.revision,
    sha256: note.sha256,
    bytes: note.bytes,
    lines: countLines(markdown),
    frontmatter: parsed.frontmatter,
    content: content.tree,
    markdown,
    headings: content.headings,
    links: parsed.links.map(({ target, label, line, kind }) => ({
      target,
      label,
      line,
      path: visible(resolve(note.path, { kind, target })),
    })),
    backlinks: backlinksOf(note.path, links, seen),
    reading: seen.reading || late,
  }
}

/** Of so many the line is looked up; who has more is linked from a list. */
const MOST_LINES = 100

function backlinksOf(to: string, links: GardenLinks, seen: VisibleGarden): NoteText['backlinks'] {
  const visible = links.backlinks(to).flatMap((path) => seen.find(path) ?? [])
  return visible.map((from, n) => {
    const link = n < MOST_LINES ? links.links(from.path).find(({ path }) => path === to) : undefined
    return { path: from.path, title: from.title, text: link ? linkingLine(from.text, link.line) : '' }
  })
}

type Shown = { content: NoteContent; late: boolean }

/** The tree of a note, or its text as it is written; `late` where that is only for now. */
async function contentOf(
  text: string,
  { plain, reading }: NoteInTime,
  until: number,
  resolve: ContentLinks['resolve'],
): Promise<Shown> {
  if (plain) return { content: plainContent(text, plain), late: false }
  const content = reading ? null : await renderedInTime(text, { resolve }, until)
  return { content: content ?? plainContent(text, 'reading'), late: content === null }
}

/** Lines of a file at a revision with what stands around them, or null; `changed` compares with the head. */
export async function getExcerpt(
  garden: GitRepository,
  scope: NoteScope,
  asked: ExcerptInput,
): Promise<ExcerptView | null> {
  const until = performance.now() + NOTE_MS
  if (!(await mayRead(garden, scope, asked, until))) return null
  const head = await garden.head()
  const current = await noteOf(garden, head, asked.path)
  const input = { ...asked, path: current?.path ?? asked.path }
  const revision = input.revision ?? head
  const file = await garden.read(input.path, revision).catch(unlessNotThere)
  if (!file || !isShown(input.path)) return null
  if (scope !== null && !(await versionInScope(garden, scope, { path: input.path, revision }))) return null
  const all = linesOf(file.text)
  const to = Math.min(input.to, all.length)
  if (input.from > all.length) return null
  const cited = all.slice(input.from - 1, to).join('\n')
  const [first, last] = [Math.max(1, input.from - input.around), Math.min(all.length, to + input.around)]
  return {
    path: input.path,
    title: (await parsedInTime(file, until)).title,
    revision,
    current_revision: head,
    from: input.from,
    to,
    total_lines: all.length,
    lines: all.slice(first - 1, last).map((text, i) => ({
      n: first + i,
      text,
      cited: first + i >= input.from && first + i <= to,
    })),
    changed: !(current ? await wholeText(garden, head, current) : '').includes(cited),
  }
}

const isShown = (path: string): boolean => /\.md$/i.test(path) && !path.startsWith('_bloom/')
/** As `linesOf`, without making half a million strings of a long text. */
function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
const linesOf = (text: string): string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')

/**
 * A guest reads an old revision of what the zone shows now: a note that left the zone is out of it, its past included. One that is not read
 * in time goes by the tags that it states, which are never too many.
 */
async function mayRead(
  garden: GitRepository,
  scope: NoteScope,
  { path, revision }: { path: string; revision?: string | undefined },
  until: number,
): Promise<boolean> {
  if (revision !== undefined && !(await garden.isOnBranch(revision))) return false
  if (scope === null) return true
  const now = await noteOf(garden, await garden.head(), path)
  return now !== null && noteInScope(scope, now.path, (await parsedInTime(now, until)).tags)
}

/**
 * The note of this path: exactly this one, or one whose name is spelled in another normal form. Where the garden is not read in time, it
 * alone is.
 */
async function noteOf(garden: GitRepository, revision: string, path: string): Promise<GardenNote | null> {
  const whole = await gardenInTime(garden, revision)
  const exact = whole?.byPath.get(path)
  if (exact) return exact
  const notes = whole?.notes ?? (await noteEntries(garden, revision))
  const named = notes.find((note) => note.path === path) ?? notes.find((note) => sameName(note.path, path))
  if (!named) return null
  return whole?.byPath.get(named.path) ?? noteAt(garden, revision, named.path)
}

const wholeText = async (garden: GitRepository, revision: string, note: GardenNote): Promise<string> =>
  (await wholeNotes(garden, revision, [note]))[0]?.text ?? note.text

/** What is not there is absent; a repository that does not answer is said to. */
function unlessNotThere(error: unknown): null {
  if (error instanceof StorageUnavailable) throw error
  return null
}
