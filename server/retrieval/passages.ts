import { blocksOf, isDelimiter, type LineBlock } from '#server/garden/markdown-lines.ts'
import type { IndexDocument, Lines } from './document-lines.ts'
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
/** A longer one is a single line that nobody wrote by hand; looking for its words would hold up everybody else. */
const MAX_LINE_CHARS = 20_000

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
export const passagesOf = (document: IndexDocument): Passage[] => [...eachPassage(document)]

/** The same one after the other, so that others may have a turn between. A passage shares the characters of its document. */
export function* eachPassage(document: IndexDocument): Generator<Passage> {
  // Not kept with the document: its lines take several times the memory of its text.
  const lines = document.text.split('\n')
  const starts = startsOf(lines)
  const blocks = blocksOf(lines)
  const runs = runsOf(blocks, lines)
  const open: { depth: number; title: string }[] = []
  for (const [i, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      while ((open.at(-1)?.depth ?? 0) >= block.depth) open.pop()
      open.push({ depth: block.depth, title: plainHeading(block.title) })
      continue
    }
    const headings = open.map((h) => h.title).filter((t) => t !== '')
    for (const cut of cuts(block, lines)) {
      const end = (starts[cut.to + 1] ?? document.text.length + 1) - 1
      const text = document.text.slice(starts[cut.from], end)
      if (text.length > MAX_LINE_CHARS || sentencesOf(text).length === 0) continue
      yield passageOf(document, { block, cut, run: runs[i] ?? cut, headings, text })
    }
  }
}

type Cut = { block: LineBlock; cut: Lines; run: Lines; headings: string[]; text: string }

function passageOf(
  { ref, revision, firstLine: offset = 1 }: IndexDocument,
  { block, cut, run, headings, text }: Cut,
): Passage {
  const numbered = (l: Lines): Lines => ({ from: l.from + offset, to: l.to + offset })
  const kind = block.kind === 'table' ? 'row' : (block.kind as PassageKind)
  const head =
    kind === 'row' && cut.from > block.from
      ? { head: numbered({ from: block.from, to: block.from + 1 }) }
      : {}
  return { ref, revision, kind, lines: numbered(cut), block: numbered(run), ...head, headings, text }
}

/** Where each line begins. */
function startsOf(lines: readonly string[]): number[] {
  let at = 0
  return lines.map((line) => {
    const start = at
    at += line.length + 1
    return start
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
