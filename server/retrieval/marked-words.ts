import { foldText, stem, terms, words } from './tokenize.ts'

/** Words of a text with the marks that folding takes away, so that places are those of the text itself. */
const WORD_AS_WRITTEN = /[\p{L}\p{M}\p{N}]+(?:['’‘ʼʹ`´′＇][\p{L}\p{M}]+)*/gu

/** `[from, to)` in characters. */
export type Mark = readonly [number, number]

/** Where the words of a query stand in a text, in the forms that the index takes for one; its last word also as the beginning of a word. */
export function markedWords(text: string, query: string): Mark[] {
  const wanted = new Set(terms(query))
  const begun = /\s$/u.test(query) ? undefined : words(query).at(-1)
  const isMeant = (word: string) =>
    wanted.has(stem(word)) || (begun !== undefined && begun.length > 1 && word.startsWith(begun))
  return [...text.matchAll(WORD_AS_WRITTEN)]
    .filter(([word]) => isMeant(foldText(word)))
    .map(({ 0: word, index }) => [index, index + word.length])
}

/** A part of a text with its marks; `at` is where it begins in the text. */
export type MarkedPart = { text: string; marks: Mark[]; at: number }

/** Characters before the first mark of a part. */
const LEAD = 60

/** The part of at most so many characters that begins shortly before the place with the most marks, cut at words. */
export function partAround(text: string, marks: readonly Mark[], most: number): MarkedPart {
  if (text.length <= most) return { text, marks: [...marks], at: 0 }
  const best = bestStart(marks, most, text.length - most)
  const space = text.slice(best, best + LEAD).search(/\s/u)
  const at = best === 0 || space < 0 ? best : best + space + 1
  const end = text.length - at <= most ? text.length : Math.max(at + 1, text.lastIndexOf(' ', at + most))
  return {
    text: text.slice(at, end),
    marks: marks.flatMap(([from, to]): Mark[] => (from >= at && to <= end ? [[from - at, to - at]] : [])),
    at,
  }
}

/** Where the part with the most marks begins, the first of equals. Marks come in order, so that both ends of a part only move on. */
function bestStart(marks: readonly Mark[], most: number, last: number): number {
  let best = { start: 0, count: 0 }
  let [first, end] = [0, 0]
  for (const [from] of marks) {
    const start = Math.max(0, Math.min(from - LEAD, last))
    while ((marks[first]?.[0] ?? Number.POSITIVE_INFINITY) < start) first++
    while ((marks[end]?.[1] ?? Number.POSITIVE_INFINITY) <= start + most) end++
    if (end - first > best.count) best = { start, count: end - first }
  }
  return best.start
}
