/**
 * Marks behind the sentences of a Markdown text, as footnotes of an export or as citations of a page. A mark never stands inside a link or
 * code, which it would break: that of a sentence that ends there stands behind the next one that does not.
 */
import type { MarkedSentence } from '#contracts/artifact.contract.ts'
import { isFence } from '#server/garden/markdown-lines.ts'

/** The marks of one place: of the sentences that end there, the positions among `sources` that each stands in. */
export type MarkOf = (sentences: readonly (readonly number[])[]) => string

type Position = { at: number; marks: number[][] }

/** The text with a mark behind its sentences, which are given in their order; one that is not found in it has none. */
export function markSentenceEnds(text: string, sentences: readonly MarkedSentence[], markOf: MarkOf): string {
  let marked = ''
  let done = 0
  for (const { at, marks } of positionsOf(text, sentences)) {
    marked += text.slice(done, at) + markOf(marks)
    done = at
  }
  return marked + text.slice(done)
}

function positionsOf(text: string, sentences: readonly MarkedSentence[]): Position[] {
  const fences = fencedRanges(text)
  const positions: Position[] = []
  let waiting: Position | null = null
  let from = 0
  for (const { text: sentence, sources } of sentences) {
    const start = text.indexOf(sentence, from)
    if (start < 0) continue
    if (waiting && /\n\s*\n/.test(text.slice(from, start))) {
      // The paragraph is over, so what seemed open was no link and no code.
      positions.push(waiting)
      waiting = null
    }
    from = start + sentence.length
    if (fences.some((range) => from > range.from && from <= range.to)) continue
    const position: Position = { at: endOf(text, from), marks: [...(waiting?.marks ?? []), [...sources]] }
    if (isInside(text, position.at)) waiting = position
    else {
      positions.push(position)
      waiting = null
    }
  }
  return waiting ? [...positions, waiting] : positions
}

/** A mark behind the last bar of a table's row would be a cell too many. */
const endOf = (text: string, at: number): number => {
  const bar = /\s*\|\s*$/.exec(text.slice(Math.max(0, at - 20), at))
  return bar ? at - bar[0].length : at
}

/** Whether a link or a code is open at this place of its paragraph. */
function isInside(text: string, at: number): boolean {
  const before = text.slice(text.lastIndexOf('\n\n', at - 1) + 1, at)
  const count = (of: RegExp) => before.match(of)?.length ?? 0
  const openTarget = before.lastIndexOf('](') > before.lastIndexOf(')')
  return openTarget || count(/`/g) % 2 === 1 || count(/\[/g) > count(/\]/g)
}

function fencedRanges(text: string): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  let open: number | null = null
  let at = 0
  for (const line of text.split('\n')) {
    const end = at + line.length
    if (isFence(line)) {
      if (open !== null) ranges.push({ from: open, to: end })
      open = open === null ? at : null
    }
    at = end + 1
  }
  return open === null ? ranges : [...ranges, { from: open, to: text.length }]
}
