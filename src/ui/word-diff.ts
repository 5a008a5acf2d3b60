import { diffArrays } from 'diff'
import { partsOf, wordsOf } from './diff-model.ts'

/** The difference of two texts as one running text: stretches that stayed, came or went. Pure, so that its cases are rows of a test. */
export type WordPart = { kind: 'same' | 'insert' | 'delete'; text: string }

/** The search for the least changes costs their square: beyond so many words a stretch is replaced. */
const MOST_WORDS = 500

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/gu) ?? []

/** Null where the texts differ in too much to be compared. */
export function wordDiff(before: string, after: string): WordPart[] | null {
  const lines = partsOf(linesOf(before), linesOf(after))
  if (!lines) return null
  const parts: WordPart[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    const next = lines[i + 1]
    if (!line) continue
    if (line.removed && next?.added) {
      parts.push(...replaced(line.value.join(''), next.value.join('')))
      i++
    } else parts.push({ kind: kindOf(line), text: line.value.join('') })
  }
  return parts
}

const kindOf = ({ added, removed }: { added?: boolean; removed?: boolean }): WordPart['kind'] =>
  added ? 'insert' : removed ? 'delete' : 'same'

function replaced(was: string, is: string): WordPart[] {
  const words = diffArrays(wordsOf(was), wordsOf(is), { maxEditLength: MOST_WORDS })
  if (words) return words.map((part) => ({ kind: kindOf(part), text: part.value.join('') }))
  return [
    { kind: 'delete', text: was },
    { kind: 'insert', text: is },
  ]
}
