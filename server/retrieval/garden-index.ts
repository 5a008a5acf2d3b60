/**
 * The garden at one commit, read whole: its notes and the search index over them. Built once a commit and kept for the few
 * that are in use, so that pages, runs and tools at the same revision share it; two callers at once share one building.
 *
 * Notes are Markdown files outside `agents/` and `_bloom/` whose path is a garden path; a file that Git holds under another
 * name is not shown at all. A file that is not UTF-8 text is read as far as it is.
 */
import { isMarkdown, isNotePath } from '#domain/garden/garden-path.ts'
import { processWide } from '#domain/kernel/process-wide.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { buildIndexInSlices, type SearchIndex } from './search-index.ts'

export type GardenNote = { path: string; text: string; sha256: string; bytes: number }
export type GardenIndex = {
  revision: string
  /** In byte order of the paths. */
  notes: readonly GardenNote[]
  byPath: ReadonlyMap<string, GardenNote>
  index: SearchIndex
}

const KEPT = 4
const cache = processWide(
  'garden-index',
  () => new WeakMap<GitRepository, Map<string, Promise<GardenIndex>>>(),
)

/** Notes and index at a commit (default: the head). Throws what the repository throws when it does not answer. */
export async function gardenAt(garden: GitRepository, revision?: string): Promise<GardenIndex> {
  const commit = revision ?? (await garden.head())
  const known = cache.get(garden) ?? new Map<string, Promise<GardenIndex>>()
  cache.set(garden, known)
  const there = known.get(commit)
  if (there) {
    known.delete(commit)
    known.set(commit, there)
    return there
  }
  const built = build(garden, commit)
  known.set(commit, built)
  built.catch(() => known.delete(commit))
  for (const old of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) known.delete(old)
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
  const index = await buildIndexInSlices(notes.map((n) => ({ ref: n.path, revision, text: n.text })))
  return { revision, notes, byPath: new Map(notes.map((n) => [n.path, n])), index }
}
