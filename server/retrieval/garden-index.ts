/**
 * The garden at one commit, read whole: its notes and the search index over them. Each is built once a commit and kept for the few
 * that are in use, so that pages, runs and tools at the same revision share it; two callers at once share one building. What a commit left as it
 * was is taken from the garden that was read last, so a commit costs what it changed.
 *
 * Notes are Markdown files outside `agents/` and `_bloom/` whose path is a garden path; a file that Git holds under another
 * name is not shown at all. A file that is not UTF-8 text is read as far as it is.
 */
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import { processWide } from '#domain/kernel/process-wide.ts'
import { endsWithin, PATIENCE_MS } from '#server/garden/in-time.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type GardenNote, type GardenNotes, readNotes } from './garden-notes.ts'
import { type GrowingIndex, growIndex, indexBytes, type SearchIndex } from './search-index.ts'

export type GardenIndex = GardenNotes & {
  revision: string
  byPath: ReadonlyMap<string, GardenNote>
  /** Built when it is first asked for: who lists or reads does not wait for it. */
  index(): Promise<SearchIndex>
  /** What of it is built so many milliseconds after it was begun ([garden#reading]); it goes on being built. */
  indexInTime(ms: number): Promise<IndexSoFar>
}
export type IndexSoFar = Pick<GrowingIndex, 'index' | 'holds'>

/** At most this many gardens, and of large ones as many as hold this much text and index; the one in use in any case. */
const KEPT = 4
const KEPT_BYTES = 96 * 1024 * 1024

/** `began` by `performance.now()`. */
type Building = { began: number; built: Promise<GardenIndex> }
type Kept = {
  gardens: BoundedCache<Building>
  /** Of the garden that was read last, by the id of their blob. */
  notes: ReadonlyMap<string, GardenNote>
}
const kept = processWide('garden-index', () => new WeakMap<GitRepository, Kept>())

/** Notes and index at a commit (default: the head). Throws what the repository throws when it does not answer. */
export async function gardenAt(garden: GitRepository, revision?: string): Promise<GardenIndex> {
  return (await building(garden, revision)).built
}

/**
 * The same, or null where the texts are not read within a moment, which counts from the beginning of the reading ([garden#reading]): after a
 * push of many megabytes. They go on being read.
 */
export async function gardenInTime(
  garden: GitRepository,
  revision?: string,
  ms = PATIENCE_MS,
): Promise<GardenIndex | null> {
  const { began, built } = await building(garden, revision)
  return (await endsWithin(built, began + ms - performance.now())) ? built : null
}

async function building(garden: GitRepository, revision?: string): Promise<Building> {
  const commit = revision ?? (await garden.head())
  const { gardens } = keptOf(garden)
  const there = gardens.get(commit)
  if (there) return there
  const keep = (bytes: number) => gardens.set(commit, begun, Math.max(KEPT_BYTES / KEPT, bytes))
  // One that had to go by now does not come back by what it weighs.
  const weigh = (bytes: number) => void (gardens.get(commit) === begun && keep(bytes))
  const begun = { began: performance.now(), built: build(garden, commit, weigh) }
  keep(0)
  begun.built.catch(() => gardens.delete(commit))
  return begun
}

function keptOf(garden: GitRepository): Kept {
  const known = kept.get(garden) ?? { gardens: new BoundedCache<Building>(KEPT_BYTES), notes: new Map() }
  kept.set(garden, known)
  return known
}

async function build(
  garden: GitRepository,
  revision: string,
  weigh: (bytes: number) => void,
): Promise<GardenIndex> {
  const of = keptOf(garden)
  const { notes, documents, byBlob, bytes } = await readNotes(garden, revision, of.notes)
  of.notes = byBlob
  weigh(bytes)
  let begun: (GrowingIndex & { at: number }) | undefined
  const growing = () => {
    if (begun) return begun
    begun = { at: performance.now(), ...growIndex(documents) }
    begun.end.then((index) => weigh(bytes + indexBytes(index))).catch(() => {})
    return begun
  }
  return {
    revision,
    notes,
    documents,
    byPath: new Map(notes.map((n) => [n.path, n])),
    index: () => growing().end,
    indexInTime: async (ms) => {
      const { at, end, ...soFar } = growing()
      await endsWithin(end, at + ms - performance.now())
      return soFar
    },
  }
}
