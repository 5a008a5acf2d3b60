import { noteName } from '#domain/garden/garden-path.ts'
import { budgetFault } from '#domain/garden/markdown-measure.rules.ts'
import { type BudgetFault, NOTE_BUDGET, over } from '#domain/garden/note-budget.rules.ts'
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import { processWide } from '#domain/kernel/process-wide.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { endsWithin } from './in-time.ts'
import {
  type ContentLinks,
  linkContent,
  type NoteContent,
  plainContent,
  type UnlinkedContent,
} from './linked-content.ts'
import { type ParsedNote, plainNote } from './parsed-note.ts'
import { ParsingPool, type Task } from './parsing-pool.ts'

/**
 * Notes parsed and rendered for whoever serves ([garden#budgets]): measured and read in a thread, kept by the digest of the
 * text. A text that passes a budget is plain, and remembered, so that it is never tried again.
 */
export type NoteSource = { path: string; text: string; sha256?: string }

export type NoteInTime = ParsedNote & { reading: boolean }

type Reader = {
  pool: ParsingPool
  /** Results by kind and digest, bounded by about the bytes they hold. */
  results: BoundedCache<unknown>
  faults: BoundedCache<BudgetFault>
  running: Map<string, { task: Task; read: Promise<Read> }>
}
type Read = { value: unknown } | { plain: BudgetFault }

const RESULT_BYTES = 48 * 1024 * 1024
/** Of the result itself and its place. */
const PLACE_BYTES = 500
const FAULTS = 20_000

const reader = (): Reader =>
  processWide('note-reader', () => ({
    pool: new ParsingPool(),
    results: new BoundedCache<unknown>(RESULT_BYTES),
    faults: new BoundedCache<BudgetFault>(FAULTS),
    running: new Map(),
  }))

/** Title, headings, tags and links of a note; `ahead` for one that nobody waits for alone, after those somebody does. */
export async function parsedNote(note: NoteSource, ahead = false): Promise<ParsedNote> {
  const read = await readText({ kind: 'parse', text: note.text }, note.sha256, ahead)
  if ('plain' in read) return plainNote(note.path, note.text, read.plain)
  const parsed = read.value as ParsedNote
  return { ...parsed, title: parsed.title || noteName(note.path) }
}

/**
 * The note as far as it is parsed at this moment of `performance.now()`: if it is not, what it states by itself, and `reading`. Its parse goes
 * on, so that who asks again finds it.
 */
export async function parsedInTime(note: NoteSource, until: number): Promise<NoteInTime> {
  const parse = parsedNote(note)
  if (await endsWithin(parse, until - performance.now())) return { ...(await parse), reading: false }
  return { ...plainNote(note.path, note.text, null), reading: true }
}

/** As `renderedText`, or null where the tree is not there at this moment of `performance.now()`; it goes on being made. */
export async function renderedInTime(
  text: string,
  links: ContentLinks,
  until: number,
  title = true,
): Promise<NoteContent | null> {
  const render = renderedText(text, links, title)
  return (await endsWithin(render, until - performance.now())) ? render : null
}

/** A text as a safe tree with its links; `title` false for what is no note with its title above it, nor has the lines of a file. */
export async function renderedText(text: string, links: ContentLinks, title = true): Promise<NoteContent> {
  const read = await readText({ kind: 'render', text, title })
  return 'plain' in read ? plainContent(text, read.plain) : linkContent(unpacked(read.value), links)
}

/** Of a tree its bytes are kept. */
const unpacked = (value: unknown): UnlinkedContent =>
  JSON.parse(new TextDecoder().decode(value as Uint8Array)) as UnlinkedContent

/** The budget that a text passes when it is really parsed, or null. */
export async function parseFault(text: string): Promise<BudgetFault | null> {
  const read = await readText({ kind: 'render', text, title: true })
  return 'plain' in read ? read.plain : null
}

/**
 * The same, as far as it is known at this moment of `performance.now()`: what the machine had no time to parse passes by its measure, as a
 * push would; it is shown as it is written should it turn out to take too long.
 */
export async function parseFaultInTime(text: string, until: number): Promise<BudgetFault | null> {
  const fault = parseFault(text)
  return (await endsWithin(fault, until - performance.now())) ? fault : budgetFault(text)
}

async function readText(task: Task, sha256 = sha256Hex(task.text), ahead = false): Promise<Read> {
  const { pool, results, faults, running } = reader()
  const plain = faults.get(sha256)
  if (plain) return { plain }
  const key = `${task.kind}${task.kind === 'render' && task.title ? ' titled' : ''} ${sha256}`
  const value = results.get(key)
  if (value !== undefined) return { value }
  const begun = running.get(key)
  if (begun && !ahead) pool.hasten(begun.task)
  if (begun) return begun.read
  const read = readAnew(task, { sha256, key, ahead }).finally(() => running.delete(key))
  running.set(key, { task, read })
  return read
}

type Wanted = { sha256: string; key: string; ahead: boolean }

async function readAnew(task: Task, { sha256, key, ahead }: Wanted): Promise<Read> {
  const { pool, results, faults } = reader()
  // No need to hand over what is too long in any encoding.
  if (task.text.length > NOTE_BUDGET.bytes) return { plain: faults.set(sha256, over('bytes')) }
  const outcome = await pool.run(task, ahead)
  if ('value' in outcome) {
    results.set(key, outcome.value, outcome.bytes + PLACE_BYTES)
    return outcome
  }
  const plain = over(outcome.fault)
  return { plain: outcome.kept ? faults.set(sha256, plain) : plain }
}
