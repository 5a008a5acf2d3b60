/**
 * Which notes a guest opens ([zones#readings]). It is written after the answer, by the web process's own rights, and nobody waits for it: a note
 * is read the same where this cannot be written. One statement is on its way at a time, so a table that does not answer holds one connection.
 */
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { OPENING_MINUTES, READING_SECONDS } from '#domain/zone/zone-reading.rules.ts'
import { type MicroBatcher, microBatcher } from '#server/concurrency/micro-batcher.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Services } from '#server/services.ts'
import { isOpenZone } from './zone-view.ts'

type Reading = { sid: string; path: string }

type Parts = Pick<Services, 'database' | 'log'>

const recorders = new WeakMap<object, MicroBatcher<Reading, void>>()

/** Records that this guest has this note before her; of anybody else nothing is recorded. */
export function recordReading(parts: Parts, { role, sessionId: sid }: Caller, path: string): void {
  if (role !== 'guest' || !sid) return
  const record = recorders.get(parts.database) ?? recorderOf(parts)
  recorders.set(parts.database, record)
  void record({ sid, path })
}

/** What it cannot write is said in the log, once a batch. */
const recorderOf = ({ database, log }: Parts): MicroBatcher<Reading, void> =>
  microBatcher(async (readings) => {
    await writeReadings(database, readings).catch((error: unknown) =>
      log.warn({ err: error, readings: readings.length }, 'what guests read is not recorded'),
    )
    return readings.map(() => undefined)
  })

/** A row a session and note. Repeated within the minute it changes nothing; of a session or zone that has ended nothing is written. */
export async function writeReadings(db: Pick<Db, 'query'>, readings: readonly Reading[]): Promise<void> {
  await db.query(sql`INSERT INTO zone_reading AS r (zone_id, sid, path)
    SELECT DISTINCT s.zone_id, s.sid, g.path
    FROM unnest(${readings.map(({ sid }) => sid)}::text[], ${readings.map(({ path }) => path)}::text[]) AS g(sid, path)
      JOIN session s ON s.sid = g.sid AND s.ended_at IS NULL
      JOIN zone z ON z.zone_id = s.zone_id AND ${isOpenZone}
    ORDER BY s.sid, g.path
    ON CONFLICT (sid, path) DO UPDATE SET last_read_at = clock_timestamp(),
      openings = r.openings + (r.last_read_at < clock_timestamp() - make_interval(mins => ${OPENING_MINUTES}))::int
    WHERE r.last_read_at < clock_timestamp() - make_interval(secs => ${READING_SECONDS})`)
}
