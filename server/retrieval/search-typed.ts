import { asHits, type Hit, type Scored, type SearchIndex, scored } from './search-index.ts'
import { terms, words } from './tokenize.ts'

/** How many words a beginning may stand for. */
const MAX_COMPLETIONS = 50
const COMPLETION_WEIGHT = 0.5

/** Which hits a search gives: of the notes that `allowed` names at most `notes`, and of each its best `passages`. */
export type Within = { allowed: (ref: string) => boolean; notes: number; passages: number }

/**
 * As `search`, while one types: the last word of the query also stands for the words that begin with it. Of a note that is not allowed nothing is found,
 * and it takes no place from others.
 */
export function searchTyped(index: SearchIndex, query: string, { allowed, ...most }: Within): Hit[] {
  const exact = new Set(terms(query))
  const begun = /\s$/u.test(query) ? undefined : words(query).at(-1)
  const completions: string[] = []
  if (begun !== undefined && begun.length > 1) {
    for (const term of index.text.terms.keys()) {
      if (term.startsWith(begun) && !exact.has(term)) completions.push(term)
      if (completions.length === MAX_COMPLETIONS) break
    }
  }
  const weighted = [
    ...[...exact].map((term) => ({ term, weight: 1 })),
    ...completions.map((term) => ({ term, weight: COMPLETION_WEIGHT })),
  ]
  return asHits(bestOfEach(scored(index, weighted, allowed), most))
}

function bestOfEach(found: readonly Scored[], { notes, passages }: Omit<Within, 'allowed'>): Scored[] {
  const taken = new Map<string, number>()
  return found.filter(({ passage: { ref } }) => {
    const before = taken.get(ref) ?? 0
    if (before === passages || (before === 0 && taken.size === notes)) return false
    taken.set(ref, before + 1)
    return true
  })
}
