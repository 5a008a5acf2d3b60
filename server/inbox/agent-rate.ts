/**
 * Check 1 of an agent's entries ([inbox#admission-checks]): an agent comes by no request that the gateway would count. The same entry again, as a
 * replayed step sends it, does nothing and is not counted. A refusal leaves its event and no entry.
 */
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { countHit } from '#server/auth/count-hit.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'
import { findRepeat } from './entry-row.ts'

export type RateParts = Pick<Services, 'db'> & { env: Pick<Services['env'], 'RATE_AGENT_CHANGES'> }

/** Counts an agent's entry; the refusal, where the agent has submitted as many as it may in a minute. */
export async function agentRateFault(
  { db, env }: RateParts,
  caller: Caller,
  correlationId: string | undefined,
): Promise<Refusal | null> {
  if (caller.role !== 'agent') return null
  if (correlationId !== undefined && (await findRepeat(db, caller.identity, correlationId))) return null
  const max = env.RATE_AGENT_CHANGES
  const { hit, wait } = await countHit(db, { subject: `change:${caller.identity}`, max, period: '1 minute' })
  if (hit) return null
  const code = 'RATE_LIMITED'
  await recordEvent(db, {
    name: 'access.refused',
    actor: caller,
    resource: { type: 'inbox', id: '-' },
    outcome: 'refused',
    errorCode: code,
    correlationId,
    details: { limit: max, count: 1 },
  })
  const message = `An agent submits at most ${max} entries a minute.`
  return { code, message, retryAfter: Math.max(1, Math.ceil(wait)) }
}
