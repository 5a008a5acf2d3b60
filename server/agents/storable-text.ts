/** What no text of the ledger may hold: a NUL, and half of a pair that stands for one character. */
const UNSTORABLE = /[\0\p{Surrogate}]/u

export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)

/** The text as the ledger can hold it: without NUL, and with a sign of replacement for half a character. */
const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** A value of JSON whose texts and keys the ledger can hold. */
export function storable<T>(value: T): T
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map((item) => storable(item as unknown))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), storable(inner)]))
}

/** Whether some text or key in a value of JSON cannot be stored. */
export function holdsUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return !isStorable(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => !isStorable(key) || holdsUnstorable(inner))
}
