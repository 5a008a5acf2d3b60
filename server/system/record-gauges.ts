import sql from 'sql-template-tag'
import { ledgerNow } from '#server/ledger/clock.ts'
import { addPoints, expirePoints } from '#server/metrics/points.ts'
import type { Reading } from '#server/metrics/render.ts'
import { type GaugeParts, readGauges } from './read-gauges.query.ts'

/** Those that say something of one process or one project only: together they would say nothing, and each apart would be a series for each. */
const NOT_RECORDED: readonly Reading['name'][] = [
  'garden_worker_heartbeat_age_seconds',
  'garden_stream_clients',
  'garden_leadership_epoch',
  'garden_leadership_term',
  'garden_leadership_expires_seconds',
  'garden_push_lock_held',
]

/**
 * Records how things stand in this minute, once, whoever comes first [metrics#series]; false when it is recorded already. The minute is claimed
 * in the transaction that writes its points: of two processes one wins, and one that dies in between leaves the minute to the next.
 */
export async function recordGauges(parts: GaugeParts, moment?: Date): Promise<boolean> {
  const at = moment ?? (await ledgerNow(parts.db))
  const { rows } = await parts.db.query(
    sql`SELECT FROM metric_sample s WHERE s.at >= date_trunc('minute', ${at}::timestamptz)`,
  )
  if (rows.length > 0) return false
  const readings = (await readGauges(parts)).filter(({ name }) => !NOT_RECORDED.includes(name))
  return parts.db.transaction(async (tx) => {
    const { rowCount } =
      await tx.query(sql`INSERT INTO metric_sample AS s (at) VALUES (date_trunc('minute', ${at}::timestamptz))
      ON CONFLICT (only_row) DO UPDATE SET at = excluded.at WHERE s.at < excluded.at`)
    if (!rowCount) return false
    await addPoints(
      tx,
      readings.map(({ value, ...of }) => ({ ...of, le: Number.POSITIVE_INFINITY, count: 1, sum: value, at })),
    )
    await expirePoints(tx)
    return true
  })
}
