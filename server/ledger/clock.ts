import sql, { type Sql } from 'sql-template-tag'
import type { Db } from './database.ts'

/** A moment on the database clock, `seconds` from now: leases, deadlines and backoffs are dated by no other clock [ledger#transitions]. */
export const fromNow = (seconds: number | Sql): Sql =>
  sql`clock_timestamp() + make_interval(secs => ${seconds})`

/** The moment as the ISO text of the wire, for values inside `jsonb`. */
export const isoNow: Sql = sql`to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The database clock, for reads that compare with it outside SQL. */
export async function ledgerNow(db: Db): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>(sql`SELECT clock_timestamp()::timestamptz(3) AS now`)
  return (rows[0] as { now: Date }).now
}
