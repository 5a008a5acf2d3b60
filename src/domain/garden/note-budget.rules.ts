/**
 * What a text may ask of a parser ([garden#budgets]). Parsers of Markdown and YAML take time and stack that grow with the square of some
 * shapes, so a text is measured before one sees it: one pass over its characters, no parser, no backtracking. Time and memory are
 * limits of the parse itself, for what the measure does not foresee.
 *
 * Measured in `markdown-measure.rules.ts` and `frontmatter-measure.rules.ts`.
 */
export const NOTE_BUDGET = {
  /** Of the whole text. */
  bytes: 256 * 1024,
  /** Characters of the longest line. */
  line: 20_000,
  /** Characters without a blank between them. */
  word: 4_000,
  /** Quotes and lists inside one another. */
  depth: 32,
  /** Marks of emphasis, code, links and HTML in one paragraph. */
  marks: 600,
  /** Lines, marks and cells of the whole text, and nodes of its tree. */
  nodes: 20_000,
  /** Of the front matter. */
  frontmatter_bytes: 16 * 1024,
  /** Keys and items of the front matter. */
  frontmatter_entries: 1_000,
  frontmatter_depth: 16,
  /** Anchors and aliases of the front matter. */
  frontmatter_aliases: 32,
  /** Milliseconds of processor time that a parse may take. */
  time: 500,
  /** Megabytes that a parse may hold. */
  memory: 128,
  /** Of the parser itself. */
  faults: 0,
} as const

export type BudgetName = keyof typeof NOTE_BUDGET
/** The budget that a text passes, and its limit. */
export type BudgetFault = { budget: BudgetName; limit: number }

/** The fault of a text that passes this budget. */
export const over = (budget: BudgetName): BudgetFault => ({ budget, limit: NOTE_BUDGET[budget] })

const WHAT: Record<BudgetName, string> = {
  bytes: 'bytes',
  line: 'characters in one line',
  word: 'characters without a blank between them',
  depth: 'levels of quotes and lists inside one another',
  marks: 'marks in one paragraph',
  nodes: 'lines, marks and cells',
  frontmatter_bytes: 'bytes of front matter',
  frontmatter_entries: 'keys and items of front matter',
  frontmatter_depth: 'levels of front matter',
  frontmatter_aliases: 'anchors and aliases in the front matter',
  time: 'milliseconds of parsing',
  memory: 'megabytes while it is parsed',
  faults: 'faults of the parser',
}

/** The fault in words that end a sentence. */
export const budgetMessage = ({ budget, limit }: BudgetFault): string =>
  `more than ${limit.toLocaleString('en').replaceAll(',', ' ')} ${WHAT[budget]}`
