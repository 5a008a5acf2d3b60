import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'

/** Marks the caller's digest of a day as read; one that is read already stays so. */
export async function readDigest(
  { db }: { db: Db },
  { day }: { day: string },
  caller: Caller,
): Promise<Result<{ day: string }>> {
  const { rowCount } =
    await db.query(sql`UPDATE needs_digest SET read_at = coalesce(read_at, clock_timestamp())
    WHERE account_id = ${caller.accountId ?? null} AND day = ${day}::date`)
  return rowCount ? ok({ day }) : refuse({ code: 'NOT_FOUND', message: 'There is no digest of this day.' })
}
