/**
 * Sentences of Markdown text, each a verbatim run of it (white space at the ends apart): the claims of page 04, section 8.
 * A list item, a table row and a heading begin a sentence of their own; marks of lists, tables and fences are not part of it.
 */
const MARK = /^\s*(?:>\s?)*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+/u
const STARTS = /^\s*(?:>\s?)*(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|\|)/u
const FENCE = /^\s*(?:```|~~~)/u
const DELIMITER = /^[\s|:+-]+$/u
const END = /(?<=[.!?…]["»”)\]*_`]{0,4})\s+(?=[\p{Lu}\p{N}"«“([`*_])/u

/** White space folded and NFC: the form in which quotes are compared (page 04, section 8). */
export const foldSpace = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim()

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text)

function chunksOf(text: string): string[] {
  const chunks: string[] = []
  let open = false
  for (const line of text.split('\n')) {
    if (line.trim() === '' || DELIMITER.test(line) || FENCE.test(line)) {
      open = false
      continue
    }
    if (open && !STARTS.test(line)) chunks[chunks.length - 1] += `\n${line}`
    else chunks.push(line)
    open = !line.trimStart().startsWith('|')
  }
  return chunks
}

/** The text without the list or heading mark it begins with. */
export const withoutMark = (text: string): string => text.replace(MARK, '')

/** The sentences in their order; text without letters or digits is none. */
export function sentencesOf(text: string): string[] {
  return chunksOf(text)
    .flatMap((chunk) => chunk.replace(MARK, '').split(END))
    .map((s) => s.trim())
    .filter(hasWords)
}
