/**
 * How many requests a caller may send in a sliding minute (contract page 09, section 6): per identity, per address when
 * anonymous, changes and reads apart. The window is exact and lives in the memory of this web process: its purpose is to keep
 * one caller from crowding out the others here. Sign-ins and zone codes are counted in the ledger (login-attempts.ts).
 */
import type { Caller, Role } from '#domain/authority/caller.ts'
import type { Env } from '#server/env.ts'

export type Kind = 'change' | 'read'
export type Admission = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

const WINDOW_MS = 60_000
/** Identities remembered at a time; the least recent go first, which only ever forgives. */
const MAX_WINDOWS = 20_000

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

const ALWAYS: Admission = { allowed: true, limit: 0, remaining: 0, resetSeconds: 0 }

/** Guests of one zone share an identity, not a limit: each has its own by its session. */
export function limitSubject(caller: Caller, address: string): string {
  if (caller.role === 'anonymous') return `anonymous:${address}`
  return caller.role === 'guest' ? `session:${caller.sessionId}` : caller.identity
}

export class RateLimits {
  readonly #windows = new Map<string, number[]>()

  /** Counts one request at `now` (ms) and says whether it may pass. A request that is refused does not count. */
  admit(env: Env, caller: Caller, address: string, kind: Kind, now: number): Admission {
    const setting = LIMITS[kind][caller.role]
    if (!setting) return ALWAYS
    const who = limitSubject(caller, address)
    return this.count(`${kind}:${who}`, env[setting] as number, now)
  }

  count(key: string, limit: number, now: number): Admission {
    const times = (this.#windows.get(key) ?? []).filter((time) => time > now - WINDOW_MS)
    const allowed = times.length < limit
    if (allowed) times.push(now)
    this.#windows.delete(key)
    this.#windows.set(key, times)
    if (this.#windows.size > MAX_WINDOWS) this.#forgetOldest()
    const oldest = times[0] ?? now
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - times.length),
      resetSeconds: Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000)),
    }
  }

  #forgetOldest(): void {
    const [oldest] = this.#windows.keys()
    if (oldest !== undefined) this.#windows.delete(oldest)
  }
}

/** The headers that tell a caller where it stands. */
export function rateHeaders(admission: Admission): Record<string, string> {
  if (admission.limit === 0) return {}
  return {
    'ratelimit-limit': String(admission.limit),
    'ratelimit-remaining': String(admission.remaining),
    'ratelimit-reset': String(admission.resetSeconds),
    ...(admission.allowed ? {} : { 'retry-after': String(admission.resetSeconds) }),
  }
}
