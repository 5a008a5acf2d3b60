import { isDelimiter, isFence, startsBlock, withoutMark } from '#server/garden/markdown-lines.ts'

/**
 * Sentences of Markdown text, each a verbatim run of it (white space at the ends apart) ([retrieval#grounding]): the claims of a brief.
 * A list item, a table row and a heading begin a sentence of their own; marks of lists, tables and fences are not part of it.
 */
const END = /(?<=[.!?…]["»”)\]*_`]{0,4})\s+(?=[\p{Lu}\p{N}"«“([`*_])/u

/** White space folded and NFC: the form in which quotes are compared. */
export const foldSpace = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim()

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text)

function chunksOf(text: string): string[] {
  const chunks: string[] = []
  let open = false
  for (const line of text.split('\n')) {
    if (line.trim() === '' || isDelimiter(line) || isFence(line)) {
      open = false
      continue
    }
    if (open && !startsBlock(line)) chunks[chunks.length - 1] += `\n${line}`
    else chunks.push(line)
    open = !line.trimStart().startsWith('|')
  }
  return chunks
}

/** The sentences in their order; text without letters or digits is none. */
export function sentencesOf(text: string): string[] {
  return chunksOf(text)
    .flatMap((chunk) => withoutMark(chunk).split(END))
    .map((s) => s.trim())
    .filter(hasWords)
}
