/**
 * The audit of refusals [auth#refusals]: actor or address hash, endpoint template, code; never a body.
 * Repeats of one kind from one caller and address fold into one event a minute with their count: the first is written at
 * once, what follows within the minute is written together when the minute is over. Reads that find nothing (404) and
 * ordinary invalid fields are no refusals.
 */
import { createHmac } from 'node:crypto'
import type { Caller } from '#domain/authority/caller.ts'
import type { ErrorCode, Refusal } from '#domain/kernel/errors.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'

const AUDITED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'AUTH_REQUIRED',
  'TOKEN_EXPIRED',
  'FORBIDDEN',
  'SAFE_OUTPUT_VIOLATION',
  'AUTHORITY_VIOLATION',
  'CONSENT_REQUIRED',
  'ZONE_CODE_INVALID',
  'TAINTED',
  'STEP_UP_REQUIRED',
  'FENCE_STALE',
  'ZONE_EXPIRED',
  'ZONE_REVOKED',
  'PAYLOAD_TOO_LARGE',
  'PATH_NOT_ALLOWED',
  'METHOD_NOT_ALLOWED',
  'RATE_LIMITED',
])

const FOLD_MS = 60_000
/** Folds open at once; what does not find room is counted by its code alone, whoever it comes from. */
const MAX_FOLDS = 2_000

type Refused = { caller: Caller; address: string; endpoint: string; refusal: Refusal }
type Fold = { first: Refused; count: number; timer: NodeJS.Timeout }

/** A keyed hash: an address is personal, and a plain digest of one is easily turned back. */
export const addressHash = (key: string, address: string): string =>
  createHmac('sha256', key).update(`address:${address}`).digest('hex').slice(0, 32)

export class Refusals {
  readonly #folds = new Map<string, Fold>()

  /** Writes the refusal, or folds it into the one of this minute. A ledger that does not answer is left to the log. */
  async record(services: Pick<Services, 'db' | 'env' | 'log'>, refused: Refused): Promise<void> {
    if (!AUDITED.has(refused.refusal.code)) return
    const { caller, address, endpoint, refusal } = refused
    const own = [caller.identity, address, endpoint, refusal.code].join('\n')
    const key = this.#folds.has(own) || this.#folds.size < MAX_FOLDS ? own : refusal.code
    const fold = this.#folds.get(key)
    if (fold) {
      fold.count += 1
      return
    }
    const timer = setTimeout(() => void this.#close(services, key), FOLD_MS).unref()
    this.#folds.set(key, { first: refused, count: 0, timer })
    await write(services, refused, 1)
  }

  /** Writes what is folded now; for the end of the process and for tests. */
  async flush(services: Pick<Services, 'db' | 'env' | 'log'>): Promise<void> {
    await Promise.all([...this.#folds.keys()].map((key) => this.#close(services, key)))
  }

  async #close(services: Pick<Services, 'db' | 'env' | 'log'>, key: string): Promise<void> {
    const fold = this.#folds.get(key)
    if (!fold) return
    clearTimeout(fold.timer)
    this.#folds.delete(key)
    if (fold.count > 0) await write(services, fold.first, fold.count)
  }
}

async function write(
  { db, env, log }: Pick<Services, 'db' | 'env' | 'log'>,
  { caller, address, endpoint, refusal }: Refused,
  count: number,
): Promise<void> {
  try {
    await recordEvent(db, {
      name: 'access.refused',
      actor: caller,
      resource: { type: 'endpoint', id: endpoint },
      outcome: 'refused',
      errorCode: refusal.code,
      details: { address_hash: addressHash(env.BLOOM_SESSION_KEY, address), count },
    })
  } catch (error) {
    log.error({ err: error, endpoint, code: refusal.code }, 'a refusal could not be recorded')
  }
}
