import type { Refusal, Refused } from '#domain/kernel/errors.ts'
import { sqlState } from '#server/ledger/database.ts'

const INTERNAL: Refusal = {
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side. Try again; if it stays, give the correlation id to the owner.',
}

/** Known by name and not by class: bundles of the web process each carry a class of their own. */
const isRefused = (error: unknown): error is Refused =>
  error instanceof Error && error.name === 'Refused' && 'refusal' in error

/**
 * Any thrown value as a refusal. What nobody foresaw is INTERNAL_ERROR without a word of its cause; `expected` is false then,
 * and the edge writes the cause to the log.
 */
export function refusalOf(error: unknown): { refusal: Refusal; expected: boolean } {
  if (isRefused(error)) return { refusal: error.refusal, expected: true }
  const state = sqlState(error) ?? sqlState((error as { cause?: unknown } | null)?.cause)
  // Class 22: a value that no column can hold (NUL in a text, a number out of range) came from the caller.
  if (state?.startsWith('22')) {
    return {
      refusal: { code: 'VALIDATION_FAILED', message: 'A value cannot be stored as it is.' },
      expected: true,
    }
  }
  if (state === '40001' || state === '40P01') {
    return {
      refusal: { code: 'CONCURRENT_MODIFICATION', message: 'Somebody else changed this at the same moment.' },
      expected: true,
    }
  }
  if (state === '57P01' || state === '57P03' || state?.startsWith('08')) {
    return {
      refusal: { code: 'STORAGE_UNAVAILABLE', message: 'The ledger does not answer.', retryAfter: 5 },
      expected: false,
    }
  }
  return { refusal: INTERNAL, expected: false }
}
