/**
 * The audit of refusals [auth#refusals]: actor or address hash, endpoint template, code; never a body.
 * Repeats fold ([refusal-folds.ts](./refusal-folds.ts)). Reads that find nothing (404) and ordinary invalid fields are no refusals.
 */
import { createHmac } from 'node:crypto'
import type { Caller } from '#domain/authority/caller.ts'
import type { ErrorCode, Refusal } from '#domain/kernel/errors.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'
import { type Folding, RefusalFolds, type Scope } from './refusal-folds.ts'

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

type Parts = Pick<Services, 'db' | 'env' | 'log'>
type Refused = { caller: Caller; address: string; endpoint: string; refusal: Refusal }
/** `account` is a keyed hash of the name that was typed, or `link`. */
export type FailedSignIn = {
  caller: Caller
  address: string
  account: string
  refusal: Refusal
  correlationId?: string | undefined
}
type Recorded = Folding & {
  name: 'access.refused' | 'auth.failed'
  actor: Caller
  address: string
  resource: { type: string; id: string }
  correlationId?: string | undefined
}

/** A keyed hash: an address is personal, and a plain digest of one is easily turned back. */
export const addressHash = (key: string, address: string): string =>
  createHmac('sha256', key).update(`address:${address}`).digest('hex').slice(0, 32)

export class Refusals {
  readonly #folds = new RefusalFolds<Recorded>()

  /** Writes the refusal, or folds it into the one of this minute. A ledger that does not answer is left to the log. */
  async record(parts: Parts, { caller, address, endpoint, refusal }: Refused): Promise<void> {
    if (!AUDITED.has(refusal.code)) return
    const resource = { type: 'endpoint', id: endpoint }
    const kind = `${address} ${endpoint}`
    const source = caller.role === 'anonymous' ? address : caller.identity
    const folding = { name: 'access.refused', code: refusal.code, source, kind, address } as const
    await this.#folds.add({ ...folding, actor: caller, resource }, (...fold) => write(parts, ...fold))
  }

  /** The same for a sign-in that failed; whose account was tried is not what tells two of them apart. */
  async recordFailedSignIn(parts: Parts, failed: FailedSignIn): Promise<void> {
    const { caller: actor, address, account, refusal, correlationId } = failed
    const resource = { type: 'account', id: account }
    const by = { source: address, kind: actor.via, address }
    const folding = { name: 'auth.failed', code: refusal.code, ...by } as const
    await this.#folds.add({ ...folding, actor, resource, correlationId }, (...fold) => write(parts, ...fold))
  }

  /** Writes what is folded now; for the end of the process and for tests. */
  flush(parts: Parts): Promise<void> {
    return this.#folds.flush((...fold) => write(parts, ...fold))
  }
}

/** What many have in common is all that their event says: `several` where they differ. */
async function write({ db, env, log }: Parts, first: Recorded, scope: Scope, count: number): Promise<void> {
  const { name, code, address, resource } = first
  try {
    await recordEvent(db, {
      name,
      actor: scope === 'all' ? { role: 'anonymous', identity: 'several', via: first.actor.via } : first.actor,
      resource: scope === 'kind' ? resource : { type: resource.type, id: 'several' },
      outcome: 'refused',
      errorCode: code,
      correlationId: count === 1 ? first.correlationId : undefined,
      details: {
        address_hash: scope === 'all' ? 'several' : addressHash(env.BLOOM_ADDRESS_KEY, address),
        count,
      },
    })
  } catch (error) {
    log.error({ err: error, name, code }, 'a refusal could not be recorded')
  }
}
