import { related } from './lexicon.ts'
import { indexTerms, isStopWord, terms, words } from './tokenize.ts'

/** A term to look for with its weight; a question's own words weigh 1. */
export type WeightedTerm = { term: string; weight: number }

/** A notion that the question asks for: its words as the reader wrote them, their stems, and the stems of the same notion elsewhere. */
export type Notion = { label: string; own: string[]; related: string[] }
export type QuestionLanguage = 'uk' | 'en' | 'ru'

/** What a word of another language counts beside the question's own word. */
export const RELATED_WEIGHT = 0.8
/** A question may be 50 KB of text; what it is about is said before this many notions. */
const MAX_NOTIONS = 64
const WRITTEN_WORD = /[\p{L}\p{N}]+(?:['’ʼ]\p{L}+)*/gu

const RUSSIAN_WORDS =
  /(?<!\p{L})(что|чего|если|или|где|кто|почему|происходит|случается|какой|какая|какие|это|когда|нужно)(?!\p{L})/iu

/** The language of a question by letters, then words, that only one language has; other Cyrillic text is taken for Ukrainian. */
export function languageOf(question: string): QuestionLanguage {
  if (!/\p{Script=Cyrillic}/u.test(question)) return 'en'
  if (/[іїєґ]/iu.test(question)) return 'uk'
  return /[ыэъё]/iu.test(question) || RUSSIAN_WORDS.test(question) ? 'ru' : 'uk'
}

/** The notions of a question in the order they are named; words of one lexicon row are one notion. */
export function notionsOf(question: string): Notion[] {
  const notions: Notion[] = []
  for (const label of question.normalize('NFC').match(WRITTEN_WORD) ?? []) {
    if (words(label).every(isStopWord)) continue
    if (notions.length === MAX_NOTIONS) break
    const own = terms(label)
    const same = notions.find((n) => own.some((s) => n.own.includes(s) || n.related.includes(s)))
    const others = own.flatMap(related)
    if (!same) notions.push({ label, own, related: [...new Set(others)].filter((s) => !own.includes(s)) })
    else {
      same.own = [...new Set([...same.own, ...own])]
      same.related = [...new Set([...same.related, ...others])].filter((s) => !same.own.includes(s))
    }
  }
  return notions
}

/** The terms to look for: own words at full weight, words of the same notion a little below. */
export function expandedTerms(question: string): WeightedTerm[] {
  const weights = new Map<string, number>()
  for (const notion of notionsOf(question)) {
    for (const term of notion.related) weights.set(term, Math.max(weights.get(term) ?? 0, RELATED_WEIGHT))
    for (const term of notion.own) weights.set(term, 1)
  }
  return [...weights].map(([term, weight]) => ({ term, weight }))
}

/** True when the text speaks of the notion, in whatever language. */
export function speaksOf(notion: Notion, stems: ReadonlySet<string>): boolean {
  return notion.own.some((s) => stems.has(s)) || notion.related.some((s) => stems.has(s))
}

/** The stems that a text of a note speaks of. */
export const stemsOf = (text: string): Set<string> => new Set(indexTerms(text))
