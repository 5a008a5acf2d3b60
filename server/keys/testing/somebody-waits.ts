import sql from 'sql-template-tag'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { Db } from '#server/ledger/database.ts'

/** Until a statement in this database waits for a row that another transaction holds. */
export const somebodyWaits = (db: Db): Promise<unknown> =>
  waitUntil(async () => {
    const { rows } = await db.query<{ waits: boolean }>(sql`SELECT EXISTS (SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock') AS waits`)
    return rows[0]?.waits ?? false
  })
