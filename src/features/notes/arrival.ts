import type { NoteHit } from '#contracts/note.contract.ts'
import { noteHref } from './input.ts'

/**
 * A link from a search to a place in a note: the line, and the words that were found there. The page scrolls to the block that the line
 * lies in and marks the words.
 */
export type Arrival = { line: number; words: readonly string[] }

const MOST_WORDS = 8
const MOST_CHARS = 40

/** The words of a hit as the note writes them, each once. */
const wordsOf = ({ excerpt, marks }: NoteHit): string[] =>
  [...new Set(marks.map(([from, to]) => excerpt.slice(from, to).toLowerCase()))].slice(0, MOST_WORDS)

/** Where a hit of a note can be read. */
export function hitHref(path: string, hit: NoteHit | null): string {
  if (!hit) return noteHref(path)
  const words = wordsOf(hit).join(' ')
  return `${noteHref(path)}?${new URLSearchParams({ line: String(hit.line), ...(words ? { find: words } : {}) })}`
}

/** The place that an address names, or null. */
export function arrivalOf(line: string | null, find: string | null): Arrival | null {
  const at = Number(line)
  if (!Number.isInteger(at) || at < 1) return null
  const words = (find ?? '').split(/\s+/u).filter((word) => word !== '' && word.length <= MOST_CHARS)
  return { line: at, words: words.slice(0, MOST_WORDS) }
}

/** The words wherever they stand in the text, whatever their case. */
export function rangesOf(root: Node, words: readonly string[]): Range[] {
  if (words.length === 0) return []
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&'))
  const wanted = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  const ranges: Range[] = []
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    for (const match of (node.textContent ?? '').matchAll(wanted)) {
      const range = document.createRange()
      range.setStart(node, match.index)
      range.setEnd(node, match.index + match[0].length)
      ranges.push(range)
    }
  }
  return ranges
}
