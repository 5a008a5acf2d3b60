import type { Lines } from './document-lines.ts'
import { foldSpace } from './sentences.ts'

/** A text on one line, and the place in it at which each line of the file begins; an empty line begins where the next one does. */
export type FoldedLines = { folded: string; starts: readonly number[] }

/** Where a quote stands in a text, white space folded, nearest to the line `near`; null where it stands nowhere. */
export function findQuote({ folded, starts }: FoldedLines, quote: string, near: number): Lines | null {
  const wanted = foldSpace(quote)
  if (wanted === '') return null
  const middle = starts[Math.min(near, starts.length) - 1] ?? 0
  const positions = [folded.lastIndexOf(wanted, middle), folded.indexOf(wanted, middle)].filter(
    (at) => at >= 0,
  )
  const found = positions.map((at) => ({
    from: lineAt(starts, at),
    to: lineAt(starts, at + wanted.length - 1),
  }))
  return found.sort((a, b) => Math.abs(a.from - near) - Math.abs(b.from - near))[0] ?? null
}

/** Made once of a text in which several quotes are looked for: it reads and writes all of it. */
export function foldLines(text: string): FoldedLines {
  const starts: number[] = []
  const parts: string[] = []
  let length = 0
  for (const line of text.split('\n')) {
    starts.push(length)
    const part = foldSpace(line)
    if (part === '') continue
    parts.push(part)
    length += part.length + 1
  }
  return { folded: parts.join(' '), starts }
}

/** The number of the last line that begins at or before this place. */
function lineAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low + 1
}
