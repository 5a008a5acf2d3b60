import { takingTurns } from '#server/garden/in-time.ts'
import { addScores, addTerms, emptyPostings, type Postings, textOf } from './bm25.ts'
import type { IndexDocument, Lines } from './document-lines.ts'
import type { Passage } from './passages.ts'
import { expandedTerms, type WeightedTerm } from './question.ts'
import { type ReadPassage, readPassages } from './read-passages.ts'
import { terms } from './tokenize.ts'

/**
 * BM25 over passages (k1 1.2, b 0.75).
 *
 * Design: the index is built once from texts at pinned revisions, text after text, and never changed after, so the same texts and the same question give the same
 * answer in the same order (ties: by ref, then by line). A passage is found by its own words and, at a lower weight, by the headings above
 * it. `raw` is the BM25 sum; `score` is raw divided by the best raw of the answer. Excerpts are the file's own lines.
 *
 * Failure modes: none of its own; an empty question or an empty index finds nothing.
 */
const HEADING_WEIGHT = 0.5

export type SearchIndex = {
  readonly documents: readonly IndexDocument[]
  readonly passages: readonly Passage[]
  readonly text: Postings
  readonly headings: Postings
}
export type Hit = { ref: string; lines: Lines; excerpt: string; score: number; raw: number; passage: Passage }

/** An index while it is built: what it holds by now can be searched at any time. */
export type GrowingIndex = {
  readonly index: SearchIndex
  /** Whether a text is in it whole. */
  holds(ref: string): boolean
  readonly end: Promise<SearchIndex>
}

type Growing = Omit<SearchIndex, 'passages'> & { passages: Passage[] }

const empty = (documents: readonly IndexDocument[]): Growing => ({
  documents,
  passages: [],
  text: emptyPostings(),
  headings: emptyPostings(),
})

function add(index: Growing, { passage, text, headings }: ReadPassage): void {
  index.passages.push(passage)
  addTerms(index.text, text)
  addTerms(index.headings, headings)
}

const byRef = (documents: readonly IndexDocument[]) =>
  [...documents].sort((a, b) =>
    a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : (a.firstLine ?? 1) - (b.firstLine ?? 1),
  )

/** Builds the index at once; for many texts in a serving process use `buildIndexInSlices`. */
export function buildIndex(documents: readonly IndexDocument[]): SearchIndex {
  const index = empty(documents)
  for (const document of byRef(documents)) for (const read of readPassages(document)) add(index, read)
  return index
}

/** The same index, built in slices between which other work of the process goes on; stops when the signal does. */
export const buildIndexInSlices = (
  documents: readonly IndexDocument[],
  signal?: AbortSignal,
): Promise<SearchIndex> => growIndex(documents, signal).end

/** As `buildIndexInSlices`, for who does not wait for the end. */
export function growIndex(documents: readonly IndexDocument[], signal?: AbortSignal): GrowingIndex {
  const index = empty(documents)
  const complete = new Set<string>()
  return { index, holds: (ref) => complete.has(ref), end: grow(index, complete, signal) }
}

async function grow(index: Growing, complete: Set<string>, signal?: AbortSignal): Promise<SearchIndex> {
  signal?.throwIfAborted()
  const turn = takingTurns()
  for (const document of byRef(index.documents)) {
    for (const read of readPassages(document)) {
      add(index, read)
      const others = turn()
      if (!others) continue
      await others
      signal?.throwIfAborted()
    }
    complete.add(document.ref)
    await turn()
  }
  return index
}

/** The passages nearest to the question, best first, at most `topK`. */
export function search(index: SearchIndex, query: string, topK: number): Hit[] {
  return searchTerms(
    index,
    [...new Set(terms(query))].map((term) => ({ term, weight: 1 })),
    topK,
  )
}

/** As `search`, for terms that carry weights of their own. */
export const searchTerms = (index: SearchIndex, weighted: readonly WeightedTerm[], topK: number): Hit[] =>
  asHits(scored(index, weighted).slice(0, Math.max(0, topK)))

export type Scored = { passage: Passage; raw: number }

/** All passages that have one of the terms, best first; of other texts than those that are allowed nothing. */
export function scored(
  index: SearchIndex,
  weighted: readonly WeightedTerm[],
  allowed: (ref: string) => boolean = () => true,
): Scored[] {
  const sums = new Map<number, number>()
  for (const { term, weight } of weighted) {
    addScores(index.text, term, weight, sums)
    addScores(index.headings, term, weight * HEADING_WEIGHT, sums)
  }
  return [...sums]
    .map(([id, raw]) => ({ passage: index.passages[id], raw }))
    .filter((r): r is Scored => r.passage !== undefined && r.raw > 0 && allowed(r.passage.ref))
    .sort((a, b) => b.raw - a.raw || inOrder(a.passage, b.passage))
}

/** The answer that these passages make, in their order. */
export function asHits(found: readonly Scored[]): Hit[] {
  const best = found[0]?.raw ?? 1
  return found.map(({ passage, raw }) => ({
    ref: passage.ref,
    lines: passage.lines,
    excerpt: passage.text,
    score: raw / best,
    raw,
    passage,
  }))
}

/** About the bytes that an index takes beside its texts. */
export const indexBytes = ({ passages, text, headings }: SearchIndex): number =>
  passages.length * 200 + (text.total + headings.total) * 8 + (text.terms.size + headings.terms.size) * 150

/** In how many passages (headings above them included) at least one of the terms stands. */
export function countPassages(index: SearchIndex, terms: readonly string[]): number {
  const ids = new Set<number>()
  for (const term of terms) {
    for (const posting of index.text.terms.get(term) ?? []) ids.add(textOf(posting))
    for (const posting of index.headings.terms.get(term) ?? []) ids.add(textOf(posting))
  }
  return ids.size
}

export const inOrder = (a: Passage, b: Passage): number =>
  a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : a.lines.from - b.lines.from

/** The notes nearest to a question, best first: a note counts by its best passage and, less, by its next ones. */
export function rankNotes(index: SearchIndex, query: string, topK: number): { ref: string; score: number }[] {
  const sums = new Map<string, { sum: number; share: number }>()
  for (const hit of searchTerms(index, expandedTerms(query), 200)) {
    const note = sums.get(hit.ref) ?? { sum: 0, share: 1 }
    sums.set(hit.ref, { sum: note.sum + hit.raw * note.share, share: note.share / 2 })
  }
  return [...sums]
    .map(([ref, { sum }]) => ({ ref, score: sum }))
    .sort((a, b) => b.score - a.score || (a.ref < b.ref ? -1 : 1))
    .slice(0, topK)
}
