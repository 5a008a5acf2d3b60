/** What existing nodes send in a heartbeat, and how it is read ([membridge#heartbeat]). */
export const REPORTED_TIME_MAX = 256

/**
 * A number of observations: an integer, a fraction that is cut off, or either as text; null where the node does not know it, which it may also
 * say by a negative number. Undefined for anything else.
 */
export function readCount(value: unknown): number | null | undefined {
  if (value === null || value === undefined) return null
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(Math.trunc(number))) return undefined
  return number < 0 ? null : Math.trunc(number)
}

/** What a node says of its time, in whatever form, as JSON; null where it says nothing, or more than a time can need. */
export function readReportedTime(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = JSON.stringify(value)
  return text.length <= REPORTED_TIME_MAX ? text : null
}
