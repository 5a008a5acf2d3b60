import { frontmatterFault } from './frontmatter-measure.rules.ts'
import { utf8Length } from './garden-path.ts'
import { isBlank, Levels } from './levels.ts'
import { type BudgetFault, NOTE_BUDGET, over } from './note-budget.rules.ts'
import { frontmatterEnd, withoutByteOrderMark } from './note-text.rules.ts'

/** The first budget that a note passes, or null. */
export function budgetFault(text: string): BudgetFault | null {
  if (text.length > NOTE_BUDGET.bytes || utf8Length(text) > NOTE_BUDGET.bytes) return over('bytes')
  const lines = withoutByteOrderMark(text).split('\n')
  const body = frontmatterEnd(lines)
  const fault = body === 0 ? null : frontmatterFault(lines.slice(1, body - 1).join('\n'))
  return fault ?? bodyFault(lines, body)
}

function bodyFault(lines: readonly string[], from: number): BudgetFault | null {
  const seen: Seen = { levels: new Levels(), fence: null, columns: 0, text: false, marks: 0, nodes: 0 }
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
  /** Bars of the table that the line stands in, whose every row gets as many cells, however short it is written; 0 outside. */
  columns: number
  /** Whether the line before was text, which an underline makes a heading. */
  text: boolean
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
    seen.columns = 0
    seen.text = false
    return null
  }
  const underlines = seen.text && isUnderline(line)
  seen.text = !underlines
  if (underlines) seen.nodes += UNDERLINE_NODES
  const start = containers(line, seen)
  if (start === null) return over('depth')
  const fence = fenceOf(line, start)
  if (fence !== null) {
    seen.fence = fence
    seen.text = false
    return null
  }
  if (isTableHead(line, start)) seen.columns = Math.max(seen.columns, barsOf(line, start))
  if (seen.columns > 0 || line[start] === '#') seen.marks = 0
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

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'

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

/** The parser's time for underlined headings grows with the square of their number, so each counts for many nodes: a thousand of them pass. */
const UNDERLINE_NODES = 18

/** True for a line of `=` or of `-` alone, inside quotes too. */
function isUnderline(line: string): boolean {
  let at = 0
  while (line[at] === '>' || line[at] === ' ' || line[at] === '\t') at++
  const mark = line[at]
  if (mark !== '=' && mark !== '-') return false
  while (line[at] === mark) at++
  return line.slice(at).trim() === ''
}

function barsOf(line: string, start: number): number {
  let bars = 0
  for (let at = start; at < line.length; at++) if (line[at] === '|') bars++
  return bars
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
  seen.nodes += marks + 2 * Math.max(cells, seen.columns)
  return null
}
