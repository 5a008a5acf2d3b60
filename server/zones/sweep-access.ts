import sql from 'sql-template-tag'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { sweepHits } from '#server/auth/count-hit.ts'
import { forgetOldAnswers } from '#server/auth/idempotency.ts'
import type { Services } from '#server/composition/services.ts'
import { move } from '#server/ledger/move.ts'

/**
 * Ends zones whose time is over, with their sessions, and forgets old tries and kept answers; one call per tick of the expiry
 * loop. Access does not wait for it: every request compares the clock itself. Returns how many zones were ended.
 */
export async function sweepAccess(services: Pick<Services, 'database' | 'db' | 'hints'>): Promise<number> {
  const ended = await services.database.transaction(async (tx) => {
    const zones = await move<{ zone_id: string }>(tx, {
      machine: 'zone',
      event: 'expire',
      where: sql`o.expires_at <= clock_timestamp()`,
      batch: { order: sql`o.expires_at`, limit: 200 },
      actor: SCHEDULER,
    })
    await tx.query(sql`UPDATE session SET ended_at = clock_timestamp()
      WHERE ended_at IS NULL AND zone_id = ANY(${zones.map((zone) => zone.zone_id)}::text[])`)
    return zones.length
  })
  if (ended > 0) services.hints.hint('sessions')
  await forgetOldAnswers(services.db)
  await sweepHits(services.db)
  return ended
}
