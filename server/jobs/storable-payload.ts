/** Which of a caller's JSON the ledger can store, decided before the database would refuse it. */
const DEPTH = 32

/** Why this value cannot be stored, or null: NUL or half a surrogate pair in a text, or nesting beyond 32 levels. */
export function faultOf(value: unknown, depth = 0): string | null {
  if (depth > DEPTH) return `is nested deeper than ${DEPTH} levels`
  if (typeof value === 'string') return textFault(value)
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(key) ?? faultOf(inner, depth + 1)
    if (fault) return fault
  }
  return null
}

function textFault(text: string): string | null {
  if (text.includes('\0')) return 'holds a NUL character'
  return text.isWellFormed() ? null : 'holds text that is not well-formed Unicode'
}

/** Bytes of the value as the ledger writes it: compact JSON with a space after each colon and comma. */
export function storedBytes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value) ?? 'null')
  const entries = Object.entries(value)
  const names = Array.isArray(value)
    ? 0
    : entries.reduce((n, [key]) => n + Buffer.byteLength(JSON.stringify(key)) + 2, 0)
  const separators = Math.max(entries.length - 1, 0) * 2
  return entries.reduce((n, [, inner]) => n + storedBytes(inner), names + separators + 2)
}
