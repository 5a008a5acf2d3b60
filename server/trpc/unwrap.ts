import { Refused } from '#domain/kernel/errors.ts'
import type { Result } from '#domain/kernel/result.ts'

/** The value of a use-case's outcome; a refusal is thrown, to leave as the one envelope. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const { code, message, details, retryAfter } = result.refusal
  throw new Refused(code, message, details, retryAfter)
}
