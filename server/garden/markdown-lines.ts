import { frontmatterEnd, withoutByteOrderMark } from '#domain/garden/note-text.rules.ts'

/**
 * Markdown as runs of lines: headings, paragraphs, list items with what hangs below them, tables, fences. Nothing is parsed away,
 * so whatever is built on it can quote a text by its exact lines. Numbers of lines are indexes from 0, both ends included.
 */
export type LineBlock =
  | { kind: 'heading'; from: number; to: number; depth: number; title: string }
  | { kind: 'paragraph' | 'item' | 'table' | 'code'; from: number; to: number }

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/u
const FENCE = /^\s*(`{3,}|~{3,})/u
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\S/u
const ROW = /^\s*\|.*\|\s*\r?$/u
const RULE = /^\s*(?:[-*_]\s*){3,}$/u
const DELIMITER = /^[\s|:+-]+$/u
const MARK = /^\s*(?:>\s?)*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+/u

/** No note writes such a line by hand; reading it word by word would hold up everybody else. */
const LINE_CHARS = 20_000
const HEADING_CHARS = 1000

/** A line that opens or closes a fence. */
export const isFence = (line: string): boolean => FENCE.test(line)
export const isTableRow = (line: string): boolean => ROW.test(line)
/** The line between the head of a table and its rows, or one of marks alone. */
export const isDelimiter = (line: string): boolean => DELIMITER.test(line.trimEnd())
/** True for a line that begins with the mark of an item, a heading, or a table. */
export const startsBlock = (line: string): boolean => MARK.test(line) || /^\s*(?:>\s?)*\|/u.test(line)
/** The text without the list or heading mark it begins with. */
export const withoutMark = (text: string): string => text.replace(MARK, '')

const isBlank = (line: string | undefined) =>
  line === undefined || line.length > LINE_CHARS || line.trim() === ''
const indent = (line: string) => line.length - line.trimStart().length
const isHeading = (line: string) => line.length <= HEADING_CHARS && HEADING.test(line)

/** The blocks of a text in their order; front matter, rules and blank lines belong to none. */
export function blocksOf(source: readonly string[]): LineBlock[] {
  const first = source[0] ?? ''
  const bare = withoutByteOrderMark(first)
  const lines = bare === first ? source : source.with(0, bare)
  const blocks: LineBlock[] = []
  for (let i = frontmatterEnd(lines); i < lines.length; i++) {
    if (isBlank(lines[i])) continue
    const block = blockAt(lines, i)
    if (!block) continue
    blocks.push(block)
    i = block.to
  }
  return blocks
}

function blockAt(lines: readonly string[], from: number): LineBlock | undefined {
  const line = lines[from] ?? ''
  const heading = isHeading(line) ? HEADING.exec(line) : null
  if (heading)
    return { kind: 'heading', from, to: from, depth: heading[1]?.length ?? 1, title: heading[2] ?? '' }
  if (FENCE.test(line)) return { kind: 'code', from, to: fenceEnd(lines, from) }
  if (RULE.test(line)) return undefined
  if (ITEM.test(line)) return { kind: 'item', from, to: itemEnd(lines, from) }
  if (ROW.test(line)) {
    let to = from
    while (ROW.test(lines[to + 1] ?? '')) to++
    return { kind: 'table', from, to }
  }
  return { kind: 'paragraph', from, to: paragraphEnd(lines, from) }
}

function fenceEnd(lines: readonly string[], from: number): number {
  const mark = FENCE.exec(lines[from] ?? '')?.[1] ?? '```'
  for (let i = from + 1; i < lines.length; i++) {
    if ((lines[i] ?? '').trim().startsWith(mark)) return i
  }
  return lines.length - 1
}

/** Last line of a list item: deeper lines belong to it, blank ones too when something deeper follows. */
function itemEnd(lines: readonly string[], from: number): number {
  const base = indent(lines[from] ?? '')
  let end = from
  for (let i = from + 1; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (isBlank(line)) continue
    const lazy = i === end + 1 && !ITEM.test(line) && !isHeading(line) && !FENCE.test(line) && !ROW.test(line)
    if (indent(line) <= base && !lazy) break
    if (isHeading(line) || RULE.test(line)) break
    end = FENCE.test(line) ? fenceEnd(lines, i) : i
    i = end
  }
  return end
}

function paragraphEnd(lines: readonly string[], from: number): number {
  const ends = (line: string) =>
    isBlank(line) || isHeading(line) || [FENCE, ITEM, ROW, RULE].some((mark) => mark.test(line))
  let end = from
  while (end + 1 < lines.length && !ends(lines[end + 1] ?? '')) end++
  return end
}
