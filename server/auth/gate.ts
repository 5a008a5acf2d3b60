import type { Services } from '#server/services.ts'
import { RateLimits } from './rate-limits.ts'
import { Refusals } from './record-refusal.ts'

/** What the gateway remembers between requests of one process: who has reached a rate limit, refusals being folded. */
export type Gate = { limits: RateLimits; refusals: Refusals }

/** Kept on globalThis, since the web process bundles REST and tRPC apart and both must know the same. */
const GATES = Symbol.for('garden-bloom.gates')
type Holder = { [GATES]?: WeakMap<object, Gate> }

export function gateOf(services: Pick<Services, 'database'>): Gate {
  const holder = globalThis as Holder
  holder[GATES] ??= new WeakMap()
  const known = holder[GATES].get(services.database)
  if (known) return known
  const gate = { limits: new RateLimits(services.database), refusals: new Refusals() }
  holder[GATES].set(services.database, gate)
  return gate
}
