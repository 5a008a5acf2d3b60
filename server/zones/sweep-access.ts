import sql from 'sql-template-tag'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { sweepHits } from '#server/auth/count-hit.ts'
import { forgetOldAnswers } from '#server/auth/idempotency.ts'
import { expireKeys } from '#server/keys/expire-keys.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { forgetReadings } from './forget-readings.ts'

/**
 * Expires zones whose time is over, with their sessions, and machine keys, and deletes old attempts, stored answers and what guests read long ago; one call per tick of the expiry
 * loop. Access does not depend on it: every request checks the clock itself. Returns how many zones expired.
 */
export async function sweepAccess(services: Pick<Services, 'db'>): Promise<number> {
  const ended = await services.db.transaction(async (tx) => {
    const zones = await transition(tx, {
      machine: 'zone',
      event: 'expire',
      where: sql`o.expires_at <= clock_timestamp()`,
      batch: { order: sql`o.expires_at`, limit: 200 },
      actor: SCHEDULER,
      returning: ['zone_id'],
    })
    await tx.query(sql`UPDATE session SET ended_at = clock_timestamp()
      WHERE ended_at IS NULL AND zone_id = ANY(${zones.map((zone) => zone.zone_id)}::text[])`)
    return zones.length
  })
  await expireKeys(services.db)
  await forgetOldAnswers(services.db)
  await sweepHits(services.db)
  await forgetReadings(services.db)
  return ended
}
