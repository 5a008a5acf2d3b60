/**
 * The thread that parses ([garden#budgets]): one text at a time, as `parsing-pool.ts` hands them over. It is given no environment and
 * holds nothing, so ending it in the middle of a text loses nothing.
 */
import os from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Root } from 'hast'
import { budgetFault } from '#domain/garden/markdown-measure.rules.ts'
import type { BudgetName } from '#domain/garden/note-budget.rules.ts'
import { numberTargets, type UnlinkedContent } from './linked-content.ts'
import { OverBudget } from './markdown.ts'
import { noteContent } from './note-content.ts'
import { parseNote } from './parse-note.ts'
import type { Answer, Task } from './parsing-pool.ts'

/** Of 19; about a third of the time of a thread at 0. */
const BEHIND = 5

type Made = { value: unknown; bytes: number }
const WORK: { [K in Task['kind']]: (task: Extract<Task, { kind: K }>) => Made } = {
  parse: ({ text }) => weighed(parseNote('', text)),
  render: ({ text, title }) => packed(rendered(text, title)),
}

/** Small objects take about so many times the length of their JSON. */
const OF_JSON = 4

const weighed = (value: unknown): Made => ({ value, bytes: OF_JSON * JSON.stringify(value).length })

/**
 * A tree goes as bytes, which are handed over without a copy: the process that serves would make its objects at once, twenty thousand for a
 * text within the budget, and hold them all. It makes them for the page that shows them.
 */
function packed(content: UnlinkedContent): Made {
  const value = new TextEncoder().encode(JSON.stringify(content))
  return { value, bytes: value.byteLength }
}

/**
 * Without the places of the nodes, which are half of the tree. The blocks of a note keep the line of the file that they begin at, so that a search
 * leads there; other texts are compared block by block, wherever those stand.
 */
function rendered(text: string, title: boolean): UnlinkedContent {
  const numbers = numberTargets()
  const { tree, headings } = noteContent(text, numbers, title)
  unplace(tree, title)
  return { tree, headings, targets: numbers.targets }
}

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 li blockquote pre table tr td th ul ol dl dt dd hr'.split(' '))

function unplace(node: Root | Root['children'][number], lined: boolean): void {
  const line = node.position?.start.line
  if (lined && line !== undefined && node.type === 'element' && BLOCKS.has(node.tagName))
    node.properties.dataLine = line
  delete node.position
  if ('children' in node) for (const child of node.children) unplace(child, lined)
}

function budgetOf(error: unknown): BudgetName {
  if (error instanceof OverBudget) return error.budget
  return error instanceof RangeError ? 'depth' : 'faults'
}

function answer(task: Task): Answer {
  const measured = budgetFault(task.text)
  if (measured) return { fault: measured.budget, cpuMs: cpuMs() }
  try {
    return { ...WORK[task.kind](task as never), cpuMs: cpuMs() }
  } catch (error) {
    return { fault: budgetOf(error), cpuMs: cpuMs() }
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The first texts of a thread would be read by code that is not compiled yet, at several times the price. */
function warmUp(): void {
  const text = '---\na: 1\n---\n\n# A\n\nb *c* [d](e) [[f]] `g`\n\n- h\n- i\n\n|j|k|\n|-|-|\n|l|m|\n'
  for (let i = 0; i < 40; i++) {
    parseNote('', text)
    rendered(text, true)
  }
}

/**
 * On Linux a priority belongs to a thread, and 0 is the one that asks: where cores are short, answers of the process that serves go before
 * what is parsed. Elsewhere it would be that of the whole process. After the warm-up, for who waits for the first text; and not lower, because
 * a text that somebody waits for is parsed here too, and a thread without privilege cannot raise itself again.
 */
function stepBack(): void {
  if (process.platform === 'linux') os.setPriority(0, Math.max(BEHIND, os.getPriority(0)))
}

warmUp()
stepBack()
parentPort?.on('message', (task: Task) => {
  const answered = answer(task)
  const { value } = answered
  parentPort?.postMessage(answered, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [])
})
parentPort?.postMessage({ value: null, cpuMs: cpuMs() } satisfies Answer)
