/** Lines of a file, counted from 1, both ends included. */
export type Lines = { from: number; to: number }

/**
 * A text to index. `firstLine` is the number of its first line in the file when it is only a part of one; `sha256` the digest of a whole
 * file, by which its passages are kept.
 */
export type IndexDocument = {
  ref: string
  revision: string
  text: string
  firstLine?: number
  sha256?: string
}

const split = new WeakMap<IndexDocument, readonly string[]>()

/** The lines of a document, split once. */
export function splitLines(document: IndexDocument): readonly string[] {
  const known = split.get(document)
  if (known) return known
  const lines = document.text.split('\n')
  split.set(document, lines)
  return lines
}

/** The exact lines of a document, for quoting; empty when the text does not hold them. */
export function linesOf(document: IndexDocument, lines: Lines): string {
  const offset = document.firstLine ?? 1
  if (lines.from < offset) return ''
  return splitLines(document)
    .slice(lines.from - offset, lines.to - offset + 1)
    .join('\n')
}

/** Ranges that touch or overlap become one; the result is in the order of lines. */
export function mergeRanges(ranges: readonly Lines[]): Lines[] {
  const merged: Lines[] = []
  for (const range of [...ranges].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged.at(-1)
    if (last && range.from <= last.to + 1) last.to = Math.max(last.to, range.to)
    else merged.push({ ...range })
  }
  return merged
}

/** The text without the indentation that all its lines share. */
export function dedent(text: string): string {
  const lines = text.split('\n')
  const shared = Math.min(...lines.filter((l) => l.trim() !== '').map((l) => l.length - l.trimStart().length))
  return lines.map((l) => l.slice(Math.min(shared, l.length - l.trimStart().length)).trimEnd()).join('\n')
}
