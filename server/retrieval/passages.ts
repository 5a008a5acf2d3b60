import { type IndexDocument, type Lines, splitLines } from './document-lines.ts'
import { sentencesOf } from './sentences.ts'

/**
 * Markdown cut into passages with exact lines: a paragraph, a list item with what hangs below it, a table row, a code block.
 *
 * Nothing is parsed away: `text` of a passage is the file's own lines `lines.from … lines.to`, joined by their line feeds. `block` is the
 * list, table or paragraph run that the passage belongs to, so that a reader can be shown an item together with its siblings.
 */
export type PassageKind = 'paragraph' | 'item' | 'row' | 'code'
export type Passage = {
  ref: string
  revision: string
  kind: PassageKind
  lines: Lines
  block: Lines
  /** Head and delimiter lines of the table of a row. */
  head?: Lines
  /** Headings above it, outermost first. */
  headings: string[]
  text: string
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/u
const FENCE = /^\s*(`{3,}|~{3,})/u
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\S/u
const ROW = /^\s*\|.*\|\s*\r?$/u
const RULE = /^\s*(?:[-*_]\s*){3,}$/u
const MAX_CHARS = 2000

type Span = {
  kind: PassageKind | 'heading' | 'table'
  from: number
  to: number
  level?: number
  title?: string
}

/** No note writes such a line by hand; reading it word by word would hold up everybody else. */
const LINE_CHARS = 20_000
const HEADING_CHARS = 1000

const blank = (line: string | undefined) =>
  line === undefined || line.length > LINE_CHARS || line.trim() === ''
const indent = (line: string) => line.length - line.trimStart().length

const isHeading = (line: string) => line.length <= HEADING_CHARS && HEADING.test(line)

/** The end of the front matter (index of the line after it), 0 when there is none. */
function afterFrontMatter(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0
  const end = lines.findIndex((l, i) => i > 0 && /^(---|\.\.\.)\s*$/u.test(l))
  return end < 0 ? 0 : end + 1
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
    if (blank(line)) continue
    const lazy = i === end + 1 && !ITEM.test(line) && !isHeading(line) && !FENCE.test(line) && !ROW.test(line)
    if (indent(line) <= base && !lazy) break
    if (isHeading(line) || RULE.test(line)) break
    end = FENCE.test(line) ? fenceEnd(lines, i) : i
    i = end
  }
  return end
}

function paragraphEnd(lines: readonly string[], from: number): number {
  let end = from
  while (end + 1 < lines.length) {
    const next = lines[end + 1] ?? ''
    if (
      blank(next) ||
      isHeading(next) ||
      FENCE.test(next) ||
      ITEM.test(next) ||
      ROW.test(next) ||
      RULE.test(next)
    )
      break
    end++
  }
  return end
}

function spanAt(lines: readonly string[], from: number): Span | undefined {
  const line = lines[from] ?? ''
  const heading = isHeading(line) ? HEADING.exec(line) : null
  if (heading)
    return { kind: 'heading', from, to: from, level: heading[1]?.length ?? 1, title: heading[2] ?? '' }
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

function spansOf(lines: readonly string[]): Span[] {
  const spans: Span[] = []
  for (let i = afterFrontMatter(lines); i < lines.length; i++) {
    if (blank(lines[i])) continue
    const span = spanAt(lines, i)
    if (!span) continue
    spans.push(span)
    i = span.to
  }
  return spans
}

/** Lists are runs of items; a paragraph that ends in a colon introduces the block after it. */
function blocksOf(spans: readonly Span[], lines: readonly string[]): Lines[] {
  const blocks: Lines[] = spans.map(({ from, to }) => ({ from, to }))
  for (let i = 1; i < spans.length; i++) {
    const [before, span] = [spans[i - 1], spans[i]]
    const joins = before?.kind === 'item' && span?.kind === 'item'
    const intro = before?.kind === 'paragraph' && (span?.kind === 'item' || span?.kind === 'table')
    const colon = intro && /:\s*\**\s*$/u.test(lines[before.to] ?? '')
    const [previous, block] = [blocks[i - 1], blocks[i]]
    if ((joins || colon) && previous && block) {
      previous.to = block.to
      blocks[i] = previous
    }
  }
  return blocks
}

/** Rows of a table without its head; a long span is cut at line ends so that each passage stays quotable. */
function cuts(span: Span, lines: readonly string[]): Lines[] {
  if (span.kind === 'table') {
    const head = /^[\s|:-]+$/u.test((lines[span.from + 1] ?? '').trimEnd()) ? 2 : 0
    return lines
      .slice(span.from + head, span.to + 1)
      .map((_, i) => ({ from: span.from + head + i, to: span.from + head + i }))
  }
  const out: Lines[] = []
  let [from, size] = [span.from, 0]
  for (let i = span.from; i <= span.to; i++) {
    const length = (lines[i] ?? '').length + 1
    if (size > 0 && size + length > MAX_CHARS) {
      out.push({ from, to: i - 1 })
      ;[from, size] = [i, 0]
    }
    size += length
  }
  return [...out, { from, to: span.to }]
}

/** Every passage of a document, in the order of its lines. */
export function passagesOf(document: IndexDocument): Passage[] {
  const lines = splitLines(document)
  const offset = document.firstLine ?? 1
  const spans = spansOf(lines)
  const blocks = blocksOf(spans, lines)
  const numbered = (l: Lines): Lines => ({ from: l.from + offset, to: l.to + offset })
  const open: { level: number; title: string }[] = []
  return spans.flatMap((span, i) => {
    if (span.kind === 'heading') {
      while ((open.at(-1)?.level ?? 0) >= (span.level ?? 1)) open.pop()
      open.push({ level: span.level ?? 1, title: plainHeading(span.title ?? '') })
      return []
    }
    const kind = span.kind === 'table' ? 'row' : span.kind
    const headings = open.map((h) => h.title).filter((t) => t !== '')
    return cuts(span, lines).flatMap((cut): Passage[] => {
      const text = lines.slice(cut.from, cut.to + 1).join('\n')
      if (sentencesOf(text).length === 0) return []
      const block = numbered(blocks[i] ?? cut)
      const head =
        kind === 'row' && cut.from > span.from
          ? { head: numbered({ from: span.from, to: span.from + 1 }) }
          : {}
      const { ref, revision } = document
      return [{ ref, revision, kind, lines: numbered(cut), block, ...head, headings, text }]
    })
  })
}

/** A heading as words: emphasis, code marks and links reduced to what they show. */
function plainHeading(title: string): string {
  return title
    .replace(/!?\[\[([^\]|]*\|)?([^\]]*)\]\]/gu, '$2')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/[*`]+/gu, '')
    .trim()
}
