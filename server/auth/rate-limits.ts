/**
 * How many requests a caller may send in a sliding minute [auth#rate-limits]: per identity, per address when
 * anonymous, changes and reads apart. All web processes share one count, as exact as count-hit.ts says; a request is dated by the
 * process that takes it, so clocks that differ blur the minute by as much.
 *
 * Cost: one statement per request, about as much as the look at its session. A caller that is full is refused from memory until
 * its oldest requests leave. Failure: while the ledger does not answer, a change fails with it; reads pass uncounted and find out
 * for themselves.
 */
import type { Caller, Role } from '#domain/authority/caller.ts'
import type { Env } from '#server/env.ts'
import type { Db } from '#server/ledger/database.ts'
import { countHit } from './count-hit.ts'
import { addressHash } from './record-refusal.ts'

export type Kind = 'change' | 'read'
export type Admission = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

/** Full subjects remembered at a time; one that is forgotten asks the ledger again. */
const MAX_REMEMBERED = 20_000

const LIMITS: Record<Kind, Partial<Record<Role, keyof Env>>> = {
  change: {
    owner: 'RATE_OWNER_CHANGES',
    operator: 'RATE_OPERATOR_CHANGES',
    guest: 'RATE_ANONYMOUS_CHANGES',
    anonymous: 'RATE_ANONYMOUS_CHANGES',
  },
  read: {
    owner: 'RATE_OWNER_READS',
    operator: 'RATE_OPERATOR_READS',
    guest: 'RATE_GUEST_READS',
    anonymous: 'RATE_ANONYMOUS_READS',
  },
}

const UNCOUNTED: Admission = { allowed: true, limit: 0, remaining: 0, resetSeconds: 0 }

/** Guests of one zone share an identity, not a limit: each has its own by its session. */
export function limitSubject(caller: Caller, address: string): string {
  if (caller.role === 'anonymous') return `anonymous:${address}`
  return caller.role === 'guest' ? `session:${caller.sessionId}` : caller.identity
}

export class RateLimits {
  readonly #db: Pick<Db, 'query'>
  /** Until when (ms) a subject is full: its hits leave by time alone, so it need not ask again before. */
  readonly #fullUntil = new Map<string, number>()

  constructor(db: Pick<Db, 'query'>) {
    this.#db = db
  }

  /** Counts one request at `now` (ms) and says whether it may pass; throws where a change cannot be counted. */
  async admit(env: Env, caller: Caller, address: string, kind: Kind, now: number): Promise<Admission> {
    const setting = LIMITS[kind][caller.role]
    if (!setting) return UNCOUNTED
    const who = limitSubject(caller, addressHash(env.BLOOM_ADDRESS_KEY, address))
    try {
      return await this.count(`${kind}:${who}`, env[setting] as number, now)
    } catch (error) {
      if (kind === 'read') return UNCOUNTED
      throw error
    }
  }

  /** The same on a wire with a limit of its own. */
  admitTo(
    { scope, perMinute }: { scope: string; perMinute: number },
    env: Pick<Env, 'BLOOM_ADDRESS_KEY'>,
    caller: Caller,
    address: string,
    now: number,
  ): Promise<Admission> {
    const who = limitSubject(caller, addressHash(env.BLOOM_ADDRESS_KEY, address))
    return this.count(`${scope}:${who}`, perMinute, now)
  }

  async count(subject: string, limit: number, now: number): Promise<Admission> {
    const fullUntil = this.#fullUntil.get(subject) ?? 0
    if (fullUntil > now) return admission(limit, limit, (fullUntil - now) / 1000, false)
    this.#fullUntil.delete(subject)
    const bound = { subject, max: limit, period: '1 minute' } as const
    const { hit, taken, wait } = await countHit(this.#db, bound, new Date(now))
    if (!hit) this.#remember(subject, now + wait * 1000)
    return admission(limit, taken, wait, hit !== null)
  }

  #remember(subject: string, until: number): void {
    this.#fullUntil.set(subject, until)
    if (this.#fullUntil.size <= MAX_REMEMBERED) return
    const [oldest] = this.#fullUntil.keys()
    if (oldest !== undefined) this.#fullUntil.delete(oldest)
  }
}

const admission = (limit: number, taken: number, wait: number, allowed: boolean): Admission => ({
  allowed,
  limit,
  remaining: Math.max(0, limit - taken),
  resetSeconds: Math.max(1, Math.ceil(wait)),
})

/** The rate-limit headers of an answer. */
export function rateHeaders(admission: Admission): Record<string, string> {
  if (admission.limit === 0) return {}
  return {
    'ratelimit-limit': String(admission.limit),
    'ratelimit-remaining': String(admission.remaining),
    'ratelimit-reset': String(admission.resetSeconds),
    ...(admission.allowed ? {} : { 'retry-after': String(admission.resetSeconds) }),
  }
}
