import type { Services } from '#server/services.ts'
import { RateLimits } from './rate-limits.ts'
import { Refusals } from './record-refusal.ts'

/** What the gate remembers between requests of one process: who has reached a rate limit, refusals being folded. */
export type RequestGuards = { limits: RateLimits; refusals: Refusals }

/** Kept on globalThis, since the web process bundles REST and tRPC apart and both must know the same. */
const GUARDS = Symbol.for('garden-bloom.request-guards')
type Holder = { [GUARDS]?: WeakMap<object, RequestGuards> }

export function requestGuards(services: Pick<Services, 'database'>): RequestGuards {
  const holder = globalThis as Holder
  holder[GUARDS] ??= new WeakMap()
  const known = holder[GUARDS].get(services.database)
  if (known) return known
  const guards = { limits: new RateLimits(services.database), refusals: new Refusals() }
  holder[GUARDS].set(services.database, guards)
  return guards
}
