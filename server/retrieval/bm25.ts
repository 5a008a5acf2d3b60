/**
 * BM25 over numbered texts (k1 1.2, b 0.75). One table of postings, built by adding texts in order, never
 * changed after. Written out because the search library at hand measures length by distinct words, which is not BM25.
 */
const K1 = 1.2
const B = 0.75

export type Postings = {
  /** Term → number of the text and how often it stands there. */
  readonly terms: Map<string, { id: number; count: number }[]>
  readonly lengths: number[]
  total: number
}

export const emptyPostings = (): Postings => ({ terms: new Map(), lengths: [], total: 0 })

/** Adds the next text; its number is the count of texts before it. */
export function addTerms(postings: Postings, terms: readonly string[]): void {
  const id = postings.lengths.length
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  for (const [term, count] of counts) {
    const list = postings.terms.get(term)
    if (list) list.push({ id, count })
    else postings.terms.set(term, [{ id, count }])
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
  for (const { id, count } of list) {
    const length = 1 - B + (B * (postings.lengths[id] ?? 0)) / average
    const score = (rarity * (count * (K1 + 1))) / (count + K1 * length)
    sums.set(id, (sums.get(id) ?? 0) + weight * score)
  }
}
