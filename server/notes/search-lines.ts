/**
 * A search of notes that the index does not hold yet: by their plain lines, within a moment. It knows no ranks and no other forms of a word
 * than such as begin with the same letters; the index will ([retrieval]).
 */
import { takingTurns } from '#server/garden/in-time.ts'
import { foldText, terms } from '#server/retrieval/tokenize.ts'

export type FoundLine = { line: number; text: string; score: number }
type Plain = { path: string; text: string }

/** Of a note so much is searched, and of all notes what is reached within so many milliseconds. */
const NOTE_CHARS = 64 * 1024
const SEARCH_MS = 100
const LINE_CHARS = 2_000

/** The line of each note that holds most of the words, with the share of the words that it holds. */
export async function searchLines(notes: readonly Plain[], query: string): Promise<Map<string, FoundLine>> {
  const wanted = [...new Set(terms(query))]
  const found = new Map<string, FoundLine>()
  const [began, turn] = [performance.now(), takingTurns()]
  for (const { path, text } of wanted.length > 0 ? notes : []) {
    if (performance.now() - began > SEARCH_MS) break
    const best = bestLine(text.slice(0, NOTE_CHARS), wanted)
    if (best) found.set(path, best)
    await turn()
  }
  return found
}

function bestLine(text: string, wanted: readonly string[]): FoundLine | undefined {
  // Most notes hold none of the words: their lines are not looked at one by one.
  const whole = foldText(text)
  const there = wanted.filter((word) => whole.includes(word))
  if (there.length === 0) return undefined
  let best: FoundLine | undefined
  for (const [at, line] of text.split('\n').entries()) {
    const folded = foldText(line.slice(0, LINE_CHARS))
    const count = there.filter((word) => folded.includes(word)).length
    if (count > (best?.score ?? 0)) best = { line: at + 1, text: line, score: count }
    if (count === there.length) break
  }
  return best && { ...best, score: best.score / wanted.length }
}
