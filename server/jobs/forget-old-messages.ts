import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'

/** Drops callbacks' message ids after a day (page 09, section 12) and bulk previews after an hour. */
export async function forgetOldMessages(db: Db): Promise<void> {
  await db.query(sql`DELETE FROM job_callback WHERE received_at < clock_timestamp() - interval '24 hours'`)
  await db.query(sql`DELETE FROM job_bulk WHERE expires_at < clock_timestamp() - interval '1 hour'`)
}
