/** Opaque cursors of keyset pages: the sort they belong to and the values of the last row (contract page 01, section 12). */
import { Refused } from '#domain/kernel/errors.ts'

export const encodeCursor = (sort: string, values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify([sort, ...values])).toString('base64url')

/** The values of a cursor of this sort, all strings; `BAD_REQUEST` for anything else. */
export function decodeCursor(cursor: string, sort: string, values: number): string[] {
  const bad = () => new Refused('BAD_REQUEST', 'The cursor does not belong to this list.')
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw bad()
  }
  if (!Array.isArray(parsed) || parsed.length !== values + 1 || parsed[0] !== sort) throw bad()
  if (!parsed.every((v) => typeof v === 'string' && !v.includes('\0'))) throw bad()
  return parsed.slice(1) as string[]
}

/** A time out of a cursor; `BAD_REQUEST` when it is none. */
export function cursorTime(value: string | undefined): Date {
  const at = new Date(value ?? '')
  if (Number.isNaN(at.getTime())) throw new Refused('BAD_REQUEST', 'The cursor does not belong to this list.')
  return at
}
