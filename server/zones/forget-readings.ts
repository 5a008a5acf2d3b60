import sql from 'sql-template-tag'
import { READING_DAYS } from '#domain/zone/zone-reading.rules.ts'
import type { Db } from '#server/ledger/database.ts'

const BATCH = 1_000

/** Deletes what guests read so long ago, a bounded number at a time; part of the sweep. Returns how many rows. */
export async function forgetReadings(db: Db): Promise<number> {
  const { rowCount } =
    await db.query(sql`DELETE FROM zone_reading WHERE reading_id IN (SELECT o.reading_id FROM zone_reading o
    WHERE o.last_read_at < clock_timestamp() - make_interval(days => ${READING_DAYS}) ORDER BY o.last_read_at LIMIT ${BATCH})`)
  return rowCount ?? 0
}
