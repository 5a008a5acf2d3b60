/**
 * BM25 over numbered texts (k1 1.2, b 0.75). One table of postings, built by adding texts in order, never
 * changed after. Written out because the search library at hand measures length by distinct words, which is not BM25.
 */
const K1 = 1.2
const B = 0.75

export type Postings = {
  /** Term → the texts it stands in (`textOf`) and how often (`countOf`), each pair in one number: an object a pair takes six times the memory. */
  readonly terms: Map<string, number[]>
  readonly lengths: number[]
  total: number
}

/** No passage holds as many words. */
const COUNTS = 2 ** 14
const pair = (id: number, count: number): number => id * COUNTS + Math.min(count, COUNTS - 1)
export const textOf = (posting: number): number => Math.floor(posting / COUNTS)
const countOf = (posting: number): number => posting % COUNTS

export const emptyPostings = (): Postings => ({ terms: new Map(), lengths: [], total: 0 })

/** Adds the next text; its number is the count of texts before it. */
export function addTerms(postings: Postings, terms: readonly string[]): void {
  const id = postings.lengths.length
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  for (const [term, count] of counts) {
    const list = postings.terms.get(term)
    if (list) list.push(pair(id, count))
    else postings.terms.set(term, [pair(id, count)])
  }
  postings.lengths.push(terms.length)
  postings.total += terms.length
}

/** Adds `weight` × BM25 of one term to the sums of every text that holds it. */
export function addScores(postings: Postings, term: string, weight: number, sums: Map<number, number>): void {
  const list = postings.terms.get(term)
  if (!list) return
  const texts = postings.lengths.length
  const average = postings.total / texts
  const rarity = Math.log(1 + (texts - list.length + 0.5) / (list.length + 0.5))
  for (const posting of list) {
    const [id, count] = [textOf(posting), countOf(posting)]
    const length = 1 - B + (B * (postings.lengths[id] ?? 0)) / average
    const score = (rarity * (count * (K1 + 1))) / (count + K1 * length)
    sums.set(id, (sums.get(id) ?? 0) + weight * score)
  }
}
