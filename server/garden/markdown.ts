import type { Nodes, Root } from 'mdast'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { type BudgetName, NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'

/**
 * Markdown as a tree, for titles, links and tags (`parse-note.ts`) and the rendered page (`note-content.ts`). It may take long, so a serving
 * process asks `read-note.ts`, which has a thread of its own do it ([garden#budgets]). The lines of a text, for search and citations, are read by `markdown-lines.ts`: a tree costs thirty times as much (375 ms instead of 12 ms for
 * 220 KB), and the index reads the whole garden at every commit. A test holds the two to the same headings and fences.
 */
const parser = unified().use(remarkParse).use(remarkGfm).use(remarkFrontmatter)

/** A text that passes a budget which only shows while it is parsed. */
export class OverBudget extends Error {
  readonly budget: BudgetName

  constructor(budget: BudgetName) {
    super(budget)
    this.budget = budget
  }
}

/** The tree of a text; throws `OverBudget` where it has too many nodes. */
export function parseMarkdown(text: string): Root {
  const root = parser.parse(text)
  let nodes = 0
  for (const _ of walk(root)) if (++nodes > NOTE_BUDGET.nodes) throw new OverBudget('nodes')
  return root
}

/** A node and everything below it, in the order of the text. */
export function* walk(node: Nodes): Generator<Nodes> {
  yield node
  if ('children' in node) for (const child of (node as Root).children) yield* walk(child)
}

/** `[[target#anchor|label]]`, with `!` in front or not; the bar may be escaped, as tables need it. */
export const WIKI_LINK = /!?\[\[([^[\]\n|#\\]*)(#[^[\]\n|\\]*)?(?:\\?\|([^[\]\n]*))?\]\]/gu

export type WikiLink = { target: string; anchor: string | null; label: string | null }

/** The parts of a match of `WIKI_LINK`; a label without text is none. */
export function readWikiLink([, target = '', anchor, label]: RegExpMatchArray): WikiLink {
  return {
    target: target.trim(),
    anchor: anchor ? anchor.slice(1).trim() : null,
    label: label?.trim() || null,
  }
}

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

/** True for an address that leads out of the garden. */
export const hasScheme = (url: string): boolean => SCHEME.test(url)

/** The path and the anchor of an address inside the garden, percent signs decoded, a query left out. */
export function readAddress(url: string): { target: string; anchor: string | null } {
  const [path = '', anchor] = url.split('#')
  return { target: decoded(path.split('?')[0] ?? ''), anchor: anchor === undefined ? null : decoded(anchor) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
