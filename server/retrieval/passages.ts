import { blocksOf, isDelimiter, type LineBlock } from '#server/garden/markdown-lines.ts'
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

const MAX_CHARS = 2000

/** Lists are runs of items; a paragraph that ends in a colon introduces the block after it. */
function runsOf(blocks: readonly LineBlock[], lines: readonly string[]): Lines[] {
  const runs: Lines[] = blocks.map(({ from, to }) => ({ from, to }))
  for (let i = 1; i < blocks.length; i++) {
    const [before, block] = [blocks[i - 1], blocks[i]]
    const joins = before?.kind === 'item' && block?.kind === 'item'
    const intro = before?.kind === 'paragraph' && (block?.kind === 'item' || block?.kind === 'table')
    const colon = intro && /:\s*\**\s*$/u.test(lines[before.to] ?? '')
    const [previous, run] = [runs[i - 1], runs[i]]
    if ((joins || colon) && previous && run) {
      previous.to = run.to
      runs[i] = previous
    }
  }
  return runs
}

/** Rows of a table without its head; a long span is cut at line ends so that each passage stays quotable. */
function cuts(block: LineBlock, lines: readonly string[]): Lines[] {
  if (block.kind === 'table') {
    const head = isDelimiter(lines[block.from + 1] ?? '') ? 2 : 0
    return lines
      .slice(block.from + head, block.to + 1)
      .map((_, i) => ({ from: block.from + head + i, to: block.from + head + i }))
  }
  const out: Lines[] = []
  let [from, size] = [block.from, 0]
  for (let i = block.from; i <= block.to; i++) {
    const length = (lines[i] ?? '').length + 1
    if (size > 0 && size + length > MAX_CHARS) {
      out.push({ from, to: i - 1 })
      ;[from, size] = [i, 0]
    }
    size += length
  }
  return [...out, { from, to: block.to }]
}

/** Every passage of a document, in the order of its lines. */
export function passagesOf(document: IndexDocument): Passage[] {
  const lines = splitLines(document)
  const offset = document.firstLine ?? 1
  const blocks = blocksOf(lines)
  const runs = runsOf(blocks, lines)
  const numbered = (l: Lines): Lines => ({ from: l.from + offset, to: l.to + offset })
  const open: { depth: number; title: string }[] = []
  return blocks.flatMap((block, i) => {
    if (block.kind === 'heading') {
      while ((open.at(-1)?.depth ?? 0) >= block.depth) open.pop()
      open.push({ depth: block.depth, title: plainHeading(block.title) })
      return []
    }
    const kind = block.kind === 'table' ? 'row' : block.kind
    const headings = open.map((h) => h.title).filter((t) => t !== '')
    return cuts(block, lines).flatMap((cut): Passage[] => {
      const text = lines.slice(cut.from, cut.to + 1).join('\n')
      if (sentencesOf(text).length === 0) return []
      const run = numbered(runs[i] ?? cut)
      const head =
        kind === 'row' && cut.from > block.from
          ? { head: numbered({ from: block.from, to: block.from + 1 }) }
          : {}
      const { ref, revision } = document
      return [{ ref, revision, kind, lines: numbered(cut), block: run, ...head, headings, text }]
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
