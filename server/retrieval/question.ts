import { related } from './lexicon.ts'
import { indexTerms, isStopWord, terms, words } from './tokenize.ts'

/** A term to look for with its weight; a question's own words weigh 1. */
export type WeightedTerm = { term: string; weight: number }

/** A concept of the question: its word as the reader wrote it, the word's stems, and the stems of related words. */
export type Concept = { label: string; own: string[]; related: string[] }
export type QuestionLanguage = 'uk' | 'en' | 'ru'

/** What a word of another language counts beside the question's own word. */
export const RELATED_WEIGHT = 0.8
/** A question may be 50 KB of text; what it is about is said before this many concepts. */
const MAX_CONCEPTS = 64
const WRITTEN_WORD = /[\p{L}\p{N}]+(?:['’ʼ]\p{L}+)*/gu

const RUSSIAN_WORDS =
  /(?<!\p{L})(как|что|чего|если|или|где|кто|почему|происходит|случается|какой|какая|какие|это|когда|нужно)(?!\p{L})/iu

/** The language of a question by letters, then words, that only one language has; other Cyrillic text is taken for Ukrainian. */
export function languageOf(question: string): QuestionLanguage {
  if (!/\p{Script=Cyrillic}/u.test(question)) return 'en'
  if (/[іїєґ]/iu.test(question)) return 'uk'
  return /[ыэъё]/iu.test(question) || RUSSIAN_WORDS.test(question) ? 'ru' : 'uk'
}

/** The concepts of a question in the order they are named; words of one lexicon row are one concept. */
export function conceptsOf(question: string): Concept[] {
  const concepts: Concept[] = []
  for (const label of question.normalize('NFC').match(WRITTEN_WORD) ?? []) {
    if (words(label).every(isStopWord)) continue
    if (concepts.length === MAX_CONCEPTS) break
    const own = terms(label)
    const same = concepts.find((n) => own.some((s) => n.own.includes(s) || n.related.includes(s)))
    const others = own.flatMap(related)
    if (!same) concepts.push({ label, own, related: [...new Set(others)].filter((s) => !own.includes(s)) })
    else {
      same.own = [...new Set([...same.own, ...own])]
      same.related = [...new Set([...same.related, ...others])].filter((s) => !same.own.includes(s))
    }
  }
  return concepts
}

/** The terms to look for: own words at full weight, words of the same concept a little below. */
export function expandedTerms(question: string): WeightedTerm[] {
  const weights = new Map<string, number>()
  for (const concept of conceptsOf(question)) {
    for (const term of concept.related) weights.set(term, Math.max(weights.get(term) ?? 0, RELATED_WEIGHT))
    for (const term of concept.own) weights.set(term, 1)
  }
  return [...weights].map(([term, weight]) => ({ term, weight }))
}

/** True when the text mentions the concept, in any language. */
export function mentionsConcept(concept: Concept, stems: ReadonlySet<string>): boolean {
  return concept.own.some((s) => stems.has(s)) || concept.related.some((s) => stems.has(s))
}

/** The stems of a text. */
export const stemsOf = (text: string): Set<string> => new Set(indexTerms(text))
