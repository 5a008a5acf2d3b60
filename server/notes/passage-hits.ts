/** The places of a note that a search found, each with the text around its words. */
import type { NoteHit } from '#contracts/note.contract.ts'
import { type Mark, markedWords, partAround } from '#server/retrieval/marked-words.ts'
import type { Hit } from '#server/retrieval/search-index.ts'
import type { FoundLine } from './search-lines.ts'

/** Characters that are shown of a passage. */
const SHOWN = 300
/** A passage is cut before its words are looked for: it may be one very long line. */
const SEARCHED = 20_000

/** A passage of the index; `top` is the raw score of the best one. */
export const passageHit = (
  { lines, excerpt, raw }: Hit,
  { query, top }: { query: string; top: number },
): NoteHit => ({ ...lines, ...around(excerpt, query, lines.from), score: raw / top })

/** A line of a note that is not indexed yet. */
export const lineHit = ({ line, text, score }: FoundLine, query: string): NoteHit => ({
  from: line,
  to: line,
  ...around(text, query, line),
  score,
})

function around(
  whole: string,
  query: string,
  firstLine: number,
): Pick<NoteHit, 'line' | 'excerpt' | 'marks'> {
  const text = whole.slice(0, SEARCHED)
  const all = markedWords(text, query)
  const part = partAround(text, all, SHOWN)
  const first = part.marks[0]
  const before = text.slice(0, part.at + (first?.[0] ?? 0))
  return {
    line: firstLine + before.split('\n').length - 1,
    excerpt: part.text,
    marks: part.marks.map(([from, to]: Mark) => [from, to]),
  }
}
