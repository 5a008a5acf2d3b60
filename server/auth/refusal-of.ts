import { ERRORS, type Refusal, type Refused } from '#domain/kernel/errors.ts'
import { sqlState } from '#server/ledger/database.ts'

const INTERNAL: Refusal = {
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side. Try again; if it stays, give the correlation id to the owner.',
}

/** Known by what it carries and not by class: bundles of the web process each carry a class of their own. */
const isRefused = (error: unknown): error is Refused => {
  const { code } = (error as Partial<Refused> | null)?.refusal ?? {}
  return error instanceof Error && code !== undefined && Object.hasOwn(ERRORS, code)
}

/** What the system says of a server that is not there, or goes away in the middle. */
const GONE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']
/** Disk full, out of memory or connections; shut down, crashed, starting; the connection failed; a transaction waited for us too long. */
const LEDGER_AWAY = /^(53...|57P0[123]|08...|25P03)$/

/** True when the ledger is away for a moment: the same call will do later. */
function isLedgerAway(error: unknown): boolean {
  const cause = (error as { cause?: unknown } | null)?.cause
  return [error, cause].some(
    (one) =>
      LEDGER_AWAY.test(sqlState(one) ?? '') ||
      GONE.includes(String((one as { code?: unknown } | null)?.code)) ||
      (one instanceof Error &&
        /^(Connection terminated|Client has encountered a connection error)/.test(one.message)),
  )
}

/**
 * Any thrown value as a refusal. What nobody foresaw is INTERNAL_ERROR without a word of its cause; `expected` is false then,
 * and the edge writes the cause to the log.
 */
export function refusalOf(error: unknown): { refusal: Refusal; expected: boolean } {
  if (isRefused(error)) {
    // A storage that fails has a cause for the log, which the refusal does not carry.
    return { refusal: error.refusal, expected: error.refusal.code !== 'STORAGE_UNAVAILABLE' }
  }
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
  if (isLedgerAway(error)) {
    return {
      refusal: { code: 'STORAGE_UNAVAILABLE', message: 'The ledger does not answer.', retryAfter: 5 },
      expected: false,
    }
  }
  return { refusal: INTERNAL, expected: false }
}
