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
  const isFenced = fencesOf(text)
  const isInside = openingsOf(text)
  const positions: Position[] = []
  let waiting: number[][] = []
  let last = 0
  let from = 0
  const stand = () => {
    if (waiting.length > 0) positions.push({ at: last, marks: waiting })
    waiting = []
  }
  for (const { text: sentence, sources } of sentences) {
    const start = text.indexOf(sentence, from)
    if (start < 0) continue
    // The paragraph is over, so what seemed open was no link and no code.
    if (waiting.length > 0 && /\n\s*\n/.test(text.slice(from, start))) stand()
    from = start + sentence.length
    if (isFenced(from)) continue
    last = endOf(text, from)
    waiting.push([...sources])
    if (!isInside(last)) stand()
  }
  stand()
  return positions
}

/** A mark behind the last bar of a table's row would be a cell too many. */
const endOf = (text: string, at: number): number => {
  const bar = /\s*\|\s*$/.exec(text.slice(Math.max(0, at - 20), at))
  return bar ? at - bar[0].length : at
}

/** Answers whether a link or a code is open at a place of its paragraph. Asked in the order of the places, it reads the text once. */
function openingsOf(text: string): (at: number) => boolean {
  let read = 0
  const closed = { ticks: 0, brackets: 0, target: false }
  let open = { ...closed }
  return (at) => {
    for (; read < at; read++) {
      const char = text[read]
      if (char === '`') open.ticks++
      else if (char === '[') open.brackets++
      else if (char === ']') open.brackets--
      else if (char === '(' && text[read - 1] === ']') open.target = true
      else if (char === ')') open.target = false
      else if (char === '\n' && text[read + 1] === '\n') open = { ...closed }
    }
    return open.target || open.ticks % 2 === 1 || open.brackets > 0
  }
}

/** Answers whether a place lies in a fence, its last line included; asked in the order of the places. */
function fencesOf(text: string): (at: number) => boolean {
  const ranges = fencedRanges(text)
  let next = 0
  return (at) => {
    while ((ranges[next]?.to ?? at) < at) next++
    return at > (ranges[next]?.from ?? at)
  }
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
