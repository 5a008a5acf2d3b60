/** A hunk of a unified diff: its lines begin with a space, `+` or `-`; line numbers count from 1. */
export type Hunk = { oldStart: number; oldLines: number; lines: readonly string[] }

/** The lines of a text in note form (LF, final newline). */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** The numbers of all hunks, from 1. */
export const numbersOf = (hunks: readonly unknown[]): number[] => hunks.map((_, i) => i + 1)

/**
 * What the accepted hunks alone, numbered from 1, make of the text that the diff was made on: all of them the text as proposed, none of them
 * the text as it is. In note form.
 */
export function textWithHunks(base: string, hunks: readonly Hunk[], accepted: readonly number[]): string {
  const before = linesOf(base)
  const after: string[] = []
  let at = 0
  for (const [i, hunk] of hunks.entries()) {
    const [from, to] = [hunk.oldStart - 1, hunk.oldStart - 1 + hunk.oldLines]
    for (const line of before.slice(at, from)) after.push(line)
    const lines = accepted.includes(i + 1) ? newLines(hunk) : before.slice(from, to)
    for (const line of lines) after.push(line)
    at = to
  }
  for (const line of before.slice(at)) after.push(line)
  return after.map((line) => `${line}\n`).join('')
}

const newLines = ({ lines }: Hunk): string[] =>
  lines.filter((line) => line.startsWith(' ') || line.startsWith('+')).map((line) => line.slice(1))

/** The hunks that are not accepted, by number. */
export const leftOut = (hunks: readonly unknown[], accepted: readonly number[]): number[] =>
  numbersOf(hunks).filter((n) => !accepted.includes(n))

/** Whether these are numbers of hunks of that diff, each named once. */
export const areHunksOf = (count: number, numbers: readonly number[]): boolean =>
  new Set(numbers).size === numbers.length &&
  numbers.every((n) => Number.isInteger(n) && n >= 1 && n <= count)

/** Memory and logic of an agent are decided as a whole. */
export const isEditableTarget = (type: string): boolean => type !== 'memory' && type !== 'logic'

type Change = { tags?: { stamp?: unknown } | undefined }

/** So are tags with a stamp: who gave them, and when, is not for a person to write. */
export const isEditable = (target: string, changes: readonly Change[]): boolean =>
  isEditableTarget(target) && !changes.some(({ tags }) => tags?.stamp)
