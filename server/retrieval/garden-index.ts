/**
 * The garden at one commit, read whole: its notes and the search index over them. Each is built once a commit and kept for the few
 * that are in use, so that pages, runs and tools at the same revision share it; two callers at once share one building.
 *
 * Notes are Markdown files outside `agents/` and `_bloom/` whose path is a garden path; a file that Git holds under another
 * name is not shown at all. A file that is not UTF-8 text is read as far as it is.
 */
import { isMarkdown, isNotePath } from '#domain/garden/garden-path.ts'
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import { processWide } from '#domain/kernel/process-wide.ts'
import { endsWithin } from '#server/garden/in-time.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { IndexDocument } from './document-lines.ts'
import { type GrowingIndex, growIndex, type SearchIndex } from './search-index.ts'

export type GardenNote = { path: string; text: string; sha256: string; bytes: number }
export type GardenIndex = {
  revision: string
  /** In byte order of the paths. */
  notes: readonly GardenNote[]
  byPath: ReadonlyMap<string, GardenNote>
  /** Built when it is first asked for: who lists or reads does not wait for it. */
  index(): Promise<SearchIndex>
  /** What of it is built so many milliseconds after it was begun ([garden#reading]); it goes on being built. */
  indexInTime(ms: number): Promise<IndexSoFar>
}
export type IndexSoFar = Pick<GrowingIndex, 'index' | 'holds'>

/** At most this many gardens, and of large ones as many as hold this much text; the one in use in any case. */
const KEPT = 4
const KEPT_BYTES = 96 * 1024 * 1024
const cache = processWide(
  'garden-index',
  () => new WeakMap<GitRepository, BoundedCache<Promise<GardenIndex>>>(),
)

/** Notes and index at a commit (default: the head). Throws what the repository throws when it does not answer. */
export async function gardenAt(garden: GitRepository, revision?: string): Promise<GardenIndex> {
  const commit = revision ?? (await garden.head())
  const known = cache.get(garden) ?? new BoundedCache<Promise<GardenIndex>>(KEPT_BYTES)
  cache.set(garden, known)
  const there = known.get(commit)
  if (there) return there
  const built = build(garden, commit)
  const least = KEPT_BYTES / KEPT
  known.set(commit, built, least)
  built.then(
    ({ notes }) =>
      known.set(
        commit,
        built,
        Math.max(
          least,
          notes.reduce((sum, note) => sum + note.bytes, 0),
        ),
      ),
    () => known.delete(commit),
  )
  return built
}

async function build(garden: GitRepository, revision: string): Promise<GardenIndex> {
  const entries = await garden.list(revision)
  const notes: GardenNote[] = []
  for (const { path } of entries) {
    if (!isMarkdown(path) || !isNotePath(path)) continue
    const file = await garden.read(path, revision)
    if (file) notes.push({ path, text: file.text, sha256: file.sha256, bytes: file.bytes.byteLength })
  }
  let begun: (GrowingIndex & { at: number }) | undefined
  const growing = () => {
    begun ??= { at: performance.now(), ...growIndex(notes.map((note) => documentOf(note, revision))) }
    return begun
  }
  return {
    revision,
    notes,
    byPath: new Map(notes.map((n) => [n.path, n])),
    index: () => growing().end,
    indexInTime: async (ms) => {
      const { at, end, ...soFar } = growing()
      await endsWithin(end, at + ms - performance.now())
      return soFar
    },
  }
}

/** Lines of a note that are searched; cutting more into passages would hold up everybody else. */
const SEARCHED_LINES = 20_000

const documentOf = ({ path, text, bytes, sha256 }: GardenNote, revision: string): IndexDocument => ({
  ref: path,
  revision,
  sha256,
  text: bytes < SEARCHED_LINES ? text : text.split('\n', SEARCHED_LINES).join('\n'),
})
