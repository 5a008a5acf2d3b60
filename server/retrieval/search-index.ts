import MiniSearch from 'minisearch'
import type { IndexDocument, Lines } from './document-lines.ts'
import { type Passage, passagesOf } from './passages.ts'
import { expandedTerms, type WeightedTerm } from './question.ts'
import { indexTerms, terms } from './tokenize.ts'

/**
 * BM25 over passages (contract page 04, section 2.4: k1 1.2, b 0.75).
 *
 * Design: the index is built once from texts at pinned revisions and never changed, so the same texts and the same question give the same
 * answer in the same order (ties: by ref, then by line). A passage is found by its own words and, at a lower weight, by the headings above
 * it. `raw` is the BM25 sum; `score` is raw divided by the best raw of the answer. Excerpts are the file's own lines.
 *
 * Failure modes: none of its own; an empty question or an empty index finds nothing.
 */
const BM25 = { k: 1.2, b: 0.75, d: 0 } as const
const HEADING_WEIGHT = 0.5
const SLICE = 200

type Row = { id: number; text: string; headings: string }
export type SearchIndex = {
  readonly documents: readonly IndexDocument[]
  readonly passages: readonly Passage[]
  readonly mini: MiniSearch<Row>
}
export type Hit = { ref: string; lines: Lines; excerpt: string; score: number; raw: number; passage: Passage }

const emptyMini = () =>
  new MiniSearch<Row>({
    fields: ['text', 'headings'],
    tokenize: indexTerms,
    processTerm: (term) => term,
    searchOptions: {
      boost: { headings: HEADING_WEIGHT },
      bm25: BM25,
      tokenize: (q) => q.split(' '),
      processTerm: (t) => t,
    },
  })

const rowOf = (p: Passage, id: number): Row => ({ id, text: p.text, headings: p.headings.join('\n') })
const byRef = (documents: readonly IndexDocument[]) =>
  [...documents].sort((a, b) =>
    a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : (a.firstLine ?? 1) - (b.firstLine ?? 1),
  )

/** Builds the index at once; for many texts in a serving process use `buildIndexInSlices`. */
export function buildIndex(documents: readonly IndexDocument[]): SearchIndex {
  const passages = byRef(documents).flatMap(passagesOf)
  const mini = emptyMini()
  mini.addAll(passages.map(rowOf))
  return { documents, passages, mini }
}

/** The same index, built in slices between which other work of the process goes on; stops when the signal does. */
export async function buildIndexInSlices(
  documents: readonly IndexDocument[],
  signal?: AbortSignal,
): Promise<SearchIndex> {
  const passages: Passage[] = []
  for (const document of byRef(documents)) {
    passages.push(...passagesOf(document))
    await breathe(signal)
  }
  const mini = emptyMini()
  for (let i = 0; i < passages.length; i += SLICE) {
    mini.addAll(passages.slice(i, i + SLICE).map((p, j) => rowOf(p, i + j)))
    await breathe(signal)
  }
  return { documents, passages, mini }
}

async function breathe(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => setImmediate(resolve))
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
export function searchTerms(index: SearchIndex, weighted: readonly WeightedTerm[], topK: number): Hit[] {
  if (weighted.length === 0 || topK < 1) return []
  const weights = new Map(weighted.map((w) => [w.term, w.weight]))
  const found = index.mini
    .search([...weights.keys()].join(' '), { boostTerm: (term) => weights.get(term) ?? 0 })
    // The library multiplies the BM25 sum by the number of matched terms; dividing gives the sum back.
    .map((r) => ({ passage: index.passages[r.id as number], raw: r.score / (r.queryTerms.length || 1) }))
    .filter((r): r is { passage: Passage; raw: number } => r.passage !== undefined && r.raw > 0)
    .sort((a, b) => b.raw - a.raw || inOrder(a.passage, b.passage))
    .slice(0, topK)
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
