import { diffArrays, parsePatch } from 'diff'

/**
 * The difference of two texts as rows to draw: lines kept, deleted, inserted; inside a pair of changed lines the words.
 * Unchanged stretches longer than the context fold. Pure, so that its cases are rows of a test.
 */
export type Word = { text: string; changed: boolean }
export type Line = {
  kind: 'same' | 'delete' | 'insert'
  before: number | null
  after: number | null
  words: readonly Word[]
}
export type Block =
  | { kind: 'hunk'; n: number; lines: readonly Line[] }
  | { kind: 'fold'; lines: readonly Line[] }

export type DiffModel = {
  blocks: readonly Block[]
  hunks: number
  added: number
  removed: number
  /** The texts differ in too much to be compared: nothing but the new text is worth showing. */
  tooLarge: boolean
}

export type DiffOptions = { context?: number; ignoreSpace?: boolean }

const linesOf = (text: string): string[] => {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
const loose = (line: string) => line.replace(/\s+/g, ' ').trim()
const isAlike = (a: string, b: string) => loose(a) === loose(b)

/** `before` null: the file is created; `after` null: it is removed. */
export function buildDiff(before: string | null, after: string | null, options: DiffOptions = {}): DiffModel {
  const { context = 3, ignoreSpace = false } = options
  const [old, next] = [linesOf(before ?? ''), linesOf(after ?? '')]
  const lines = compareLines(old, next, ignoreSpace)
  if (lines === null) return { blocks: [], hunks: 0, added: next.length, removed: old.length, tooLarge: true }
  return {
    ...fold(lines, context),
    added: lines.filter((l) => l.kind === 'insert').length,
    removed: lines.filter((l) => l.kind === 'delete').length,
    tooLarge: false,
  }
}

/** The search for the least changes costs their square: beyond this many lines, or words of one line, it is given up. */
const MOST_LINES = 1_000
const MOST_WORDS = 200
/** Pairs of changed lines that are compared by words; the rest is shown by lines alone. */
const MOST_PAIRS = 500

type Part = { value: string[]; added?: boolean; removed?: boolean }
const isEqual = (a: string, b: string) => a === b

/** The changes between lists of lines; a text that begins or ends needs no search. Null where they are too many. */
export function partsOf(before: string[], after: string[], same = isEqual): Part[] | null {
  if (before.length === 0) return after.length === 0 ? [] : [{ value: after, added: true }]
  if (after.length === 0) return [{ value: before, removed: true }]
  return diffArrays(before, after, { comparator: same, maxEditLength: MOST_LINES }) ?? null
}

function compareLines(before: string[], after: string[], ignoreSpace: boolean): Line[] | null {
  const parts = partsOf(before, after, ignoreSpace ? isAlike : isEqual)
  if (parts === null) return null
  const lines: Line[] = []
  let [b, a] = [1, 1]
  const pairs = { left: MOST_PAIRS }
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    const next = parts[i + 1]
    if (part.removed && next?.added) {
      for (const line of replaced(part.value, next.value, { b, a, pairs })) lines.push(line)
      b += part.value.length
      a += next.value.length
      i++
    } else if (part.removed) for (const text of part.value) lines.push(plain('delete', text, b++, null))
    else if (part.added) for (const text of part.value) lines.push(plain('insert', text, null, a++))
    else
      for (let k = 0; k < part.value.length; k++) lines.push(plain('same', after[a - 1] as string, b++, a++))
  }
  return lines
}

const plain = (kind: Line['kind'], text: string, before: number | null, after: number | null): Line => ({
  kind,
  before,
  after,
  words: [{ text, changed: false }],
})

/** Where in both texts the block begins, and how many pairs may still be compared. */
type Place = { b: number; a: number; pairs: { left: number } }

/** A block of lines replaced by another: paired in order, each pair compared by words where enough of it stayed. */
function replaced(removed: string[], added: string[], at: Place): Line[] {
  const { a, b, pairs } = at
  const [del, ins]: [Line[], Line[]] = [[], []]
  for (let i = 0; i < Math.max(removed.length, added.length); i++) {
    const [was, is] = [removed[i], added[i]]
    const pair = was !== undefined && is !== undefined && pairs.left-- > 0 ? compareWords(was, is) : null
    if (was !== undefined)
      del.push({ ...plain('delete', was, b + i, null), ...(pair ? { words: pair.before } : {}) })
    if (is !== undefined)
      ins.push({ ...plain('insert', is, null, a + i), ...(pair ? { words: pair.after } : {}) })
  }
  return [...del, ...ins]
}

/** Below this share of kept characters two lines have little in common, and single words would only confuse. */
const LEAST_COMMON = 0.3
/** Lines longer than this are not compared by words: it would take too long. */
const LONGEST = 4_000

/** Words of any script with their apostrophes, spaces, and single marks: joined they are the line again. */
export const wordsOf = (line: string): string[] =>
  line.match(/[\p{L}\p{N}\p{M}]+(?:['’ʼ-][\p{L}\p{N}\p{M}]+)*|\s+|./gu) ?? []

function compareWords(was: string, is: string): { before: Word[]; after: Word[] } | null {
  if (was.length + is.length > LONGEST) return null
  const found = diffArrays(wordsOf(was), wordsOf(is), { maxEditLength: MOST_WORDS })
  if (!found) return null
  const parts = found.map((p) => ({ ...p, value: p.value.join('') }))
  const kept = parts.filter((p) => !p.added && !p.removed).reduce((n, p) => n + p.value.length, 0)
  if (kept < LEAST_COMMON * Math.max(was.length, is.length)) return null
  const side = (other: 'added' | 'removed', own: 'added' | 'removed') =>
    parts.filter((p) => !p[other]).map((p) => ({ text: p.value, changed: p[own] === true }))
  return { before: side('added', 'removed'), after: side('removed', 'added') }
}

/** Groups lines into hunks with context, and what lies between into folds (of more than one line). */
function fold(lines: readonly Line[], context: number): Pick<DiffModel, 'blocks' | 'hunks'> {
  const near = new Uint8Array(lines.length)
  lines.forEach((line, i) => {
    if (line.kind !== 'same') near.fill(1, Math.max(0, i - context), Math.min(lines.length, i + context + 1))
  })
  for (let i = 1; i < lines.length - 1; i++) if (near[i - 1] && near[i + 1]) near[i] = 1
  const blocks: Block[] = []
  let hunks = 0
  for (let i = 0; i < lines.length; ) {
    let end = i
    while (end < lines.length && near[end] === near[i]) end++
    const slice = lines.slice(i, end)
    blocks.push(near[i] ? { kind: 'hunk', n: ++hunks, lines: slice } : { kind: 'fold', lines: slice })
    i = end
  }
  return { blocks, hunks }
}

/** The same rows for a unified diff over that text, by its own hunks: what is chosen by number is what the diff numbers. */
export function buildHunks(before: string | null, unified: string): DiffModel {
  const old = linesOf(before ?? '')
  const place: Place = { b: 1, a: 1, pairs: { left: MOST_PAIRS } }
  const blocks: Block[] = []
  const keepUntil = (line: number) => {
    const lines: Line[] = []
    while (place.b < line) lines.push(plain('same', old[place.b - 1] ?? '', place.b++, place.a++))
    if (lines.length > 0) blocks.push({ kind: 'fold', lines })
  }
  const hunks = parsePatch(unified)[0]?.hunks ?? []
  for (const [i, hunk] of hunks.entries()) {
    keepUntil(hunk.oldStart)
    blocks.push({ kind: 'hunk', n: i + 1, lines: linesOfHunk(hunk.lines, place) })
  }
  keepUntil(old.length + 1)
  const count = (kind: Line['kind']) =>
    blocks.reduce((n, { lines }) => n + lines.filter((line) => line.kind === kind).length, 0)
  return { blocks, hunks: hunks.length, added: count('insert'), removed: count('delete'), tooLarge: false }
}

/** The lines of one hunk; moves the place behind it. */
function linesOfHunk(hunk: readonly string[], place: Place): Line[] {
  const lines: Line[] = []
  for (let i = 0; i < hunk.length; ) {
    const run = (sign: string) => {
      const from = i
      while (hunk[i]?.startsWith(sign)) i++
      return hunk.slice(from, i).map((line) => line.slice(1))
    }
    const kept = run(' ')
    for (const text of kept) lines.push(plain('same', text, place.b++, place.a++))
    const removed = run('-')
    const added = run('+')
    for (const line of replaced(removed, added, place)) lines.push(line)
    place.b += removed.length
    place.a += added.length
    // A mark such as “\\ No newline at end of file” is no line.
    if (kept.length + removed.length + added.length === 0) i++
  }
  return lines
}
