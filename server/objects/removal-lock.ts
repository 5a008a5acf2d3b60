import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'

/** Held, shared, by a backup from its beginning to its end: what its snapshot names must still be there when its turn comes. */
export const KEEP_OBJECTS = `SELECT pg_advisory_lock_shared(hashtextextended('object_removal', 0))`

/** Whether objects may be condemned in this transaction: not while a backup is being made. */
export async function mayRemoveObjects(tx: Db): Promise<boolean> {
  const { rows } = await tx.query<{ mine: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended('object_removal', 0)) AS mine`,
  )
  return rows[0]?.mine ?? false
}
