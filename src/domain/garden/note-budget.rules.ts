import { utf8Length } from './garden-path.ts'
import { frontmatterEnd } from './note-text.rules.ts'

/**
 * What a text may ask of a parser ([garden#budgets]). Parsers of Markdown and YAML take time and stack that grow with the square of some
 * shapes, so a text is measured before one sees it: one pass over its characters, no parser, no backtracking. Time and memory are
 * limits of the parse itself, for what the measure does not foresee.
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

/** The first budget that a note passes, or null. */
export function budgetFault(text: string): BudgetFault | null {
  if (text.length > NOTE_BUDGET.bytes || utf8Length(text) > NOTE_BUDGET.bytes) return over('bytes')
  const lines = text.split('\n')
  const body = frontmatterEnd(lines)
  const fault = body === 0 ? null : frontmatterFault(lines.slice(1, body - 1).join('\n'))
  return fault ?? bodyFault(lines, body)
}

const BLANK = /\s/
const isBlank = (char: string | undefined): boolean => char === undefined || BLANK.test(char)
const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'

/** The first budget that the YAML of a front matter passes, or null. */
export function frontmatterFault(yaml: string): BudgetFault | null {
  if (yaml.length > NOTE_BUDGET.frontmatter_bytes || utf8Length(yaml) > NOTE_BUDGET.frontmatter_bytes)
    return over('frontmatter_bytes')
  let [entries, aliases, flow] = [0, 0, 0]
  const levels = new Levels()
  for (const line of yaml.split('\n')) {
    let at = 0
    for (; at < line.length; at++) {
      if (line[at] === ' ') continue
      if ((line[at] !== '-' && line[at] !== '?') || !isBlank(line[at + 1])) break
      levels.open(at)
    }
    if (at < line.length) levels.open(at)
    if (levels.depth > NOTE_BUDGET.frontmatter_depth) return over('frontmatter_depth')
    entries++
    for (; at < line.length; at++) {
      const char = line[at]
      if (char === '[' || char === '{') flow++
      else if ((char === ']' || char === '}') && flow > 0) flow--
      else if (char === ',' || (char === ':' && isBlank(line[at + 1]))) entries++
      else if ((char === '*' || char === '&') && !isBlank(line[at + 1])) aliases++
      if (levels.depth + flow > NOTE_BUDGET.frontmatter_depth) return over('frontmatter_depth')
    }
    if (entries > NOTE_BUDGET.frontmatter_entries) return over('frontmatter_entries')
    if (aliases > NOTE_BUDGET.frontmatter_aliases) return over('frontmatter_aliases')
  }
  return null
}

/** Columns at which something is open, each deeper than the one before. */
class Levels {
  readonly #columns: number[] = []

  get depth(): number {
    return this.#columns.length
  }

  /** Opens what begins in this column; what began there or deeper is over. */
  open(column: number): void {
    this.close(column)
    this.#columns.push(column)
  }

  close(column: number): void {
    while ((this.#columns.at(-1) ?? -1) >= column) this.#columns.pop()
  }
}

function bodyFault(lines: readonly string[], from: number): BudgetFault | null {
  const seen: Seen = { levels: new Levels(), fence: null, table: false, marks: 0, nodes: 0 }
  for (let i = from; i < lines.length; i++) {
    const fault = lineFault(lines[i] ?? '', seen)
    if (fault) return fault
    if (seen.nodes > NOTE_BUDGET.nodes) return over('nodes')
    if (seen.marks > NOTE_BUDGET.marks) return over('marks')
  }
  return null
}

type Seen = {
  levels: Levels
  /** The mark that closes the code block the line stands in. */
  fence: string | null
  /** Below the head of a table each line is parsed on its own. */
  table: boolean
  /** Of the paragraph so far. */
  marks: number
  nodes: number
}

function lineFault(line: string, seen: Seen): BudgetFault | null {
  if (line.length > NOTE_BUDGET.line) return over('line')
  seen.nodes++
  const text = line.trimStart()
  if (seen.fence !== null) {
    if (text.startsWith(seen.fence)) seen.fence = null
    return null
  }
  if (text === '') {
    seen.marks = 0
    seen.table = false
    return null
  }
  const start = containers(line, seen)
  if (start === null) return over('depth')
  const fence = fenceOf(line, start)
  if (fence !== null) {
    seen.fence = fence
    return null
  }
  if (isTableHead(line, start)) seen.table = true
  if (seen.table || line[start] === '#') seen.marks = 0
  return inlineFault(line, start, seen)
}

/** Where the text of a line begins behind its quotes and list marks; null when they are too deep. */
function containers(line: string, seen: Seen): number | null {
  let [at, quotes] = [0, 0]
  let rule = isRule(line, 0)
  while (at < line.length && !rule) {
    const char = line[at]
    const mark = markLength(line, at)
    if (char === '>') quotes++
    else if (mark > 0) {
      seen.levels.open(at)
      seen.marks = 0
      seen.nodes += 2
    } else if (char !== ' ' && char !== '\t') break
    if (quotes + seen.levels.depth > NOTE_BUDGET.depth) return null
    at += Math.max(1, mark)
    rule = mark > 0 && isRule(line, at)
  }
  if (at < line.length) seen.levels.close(at + 1)
  return at
}

/** Length of the mark of a list item at this place: `-`, `+`, `*`, or a number with a dot or bracket, and a blank behind it. */
function markLength(line: string, at: number): number {
  const char = line[at]
  if (char === '-' || char === '+' || char === '*') return isBlank(line[at + 1]) ? 1 : 0
  let end = at
  while (end - at < 10 && isDigit(line[end])) end++
  const closes = end > at && (line[end] === '.' || line[end] === ')') && isBlank(line[end + 1])
  return closes ? end - at + 1 : 0
}

/** True for a line of one mark again and again, which is a rule and opens nothing. Only asked where a mark may stand. */
function isRule(line: string, from: number): boolean {
  let mark = ''
  for (let at = from; at < line.length; at++) {
    const char = line[at] as string
    if (char === ' ' || char === '\t') continue
    if (mark === '' && (char === '-' || char === '*' || char === '_')) mark = char
    if (char !== mark) return false
  }
  return mark !== ''
}

function fenceOf(line: string, start: number): string | null {
  const char = line[start]
  if (char !== '`' && char !== '~') return null
  let end = start
  while (line[end] === char) end++
  return end - start >= 3 && (char === '~' || !line.includes('`', end)) ? line.slice(start, end) : null
}

function isTableHead(line: string, start: number): boolean {
  if (!line.includes('|', start) || !line.includes('-', start)) return false
  for (let at = start; at < line.length; at++) if (!'|:- \t'.includes(line[at] as string)) return false
  return true
}

/** By code: 1 for a mark that counts each time, 2 for one that counts once a run. */
const MARKS = new Uint8Array(128)
for (const char of '[]<') MARKS[char.charCodeAt(0)] = 1
for (const char of '*_~`') MARKS[char.charCodeAt(0)] = 2
const [SPACE, TAB, BAR] = [32, 9, 124]

function inlineFault(line: string, start: number, seen: Seen): BudgetFault | null {
  let [word, before, marks, cells] = [0, 0, 0, 0]
  for (let at = start; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === SPACE || code === TAB) word = 0
    else if (++word > NOTE_BUDGET.word) return over('word')
    const mark = code < 128 ? MARKS[code] : 0
    if (mark === 1 || (mark === 2 && code !== before)) marks++
    else if (code === BAR) cells++
    before = code
  }
  seen.marks += marks
  seen.nodes += marks + 2 * cells
  return null
}
