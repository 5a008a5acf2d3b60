import sql, { type Sql } from 'sql-template-tag'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'

const ENDED = sql`o.expires_at <= clock_timestamp()`
const EXPIRE = { machine: 'machine_key', event: 'expire', actor: SCHEDULER, returning: ['key_id'] } as const

/**
 * Expires keys whose end has come, at most 200; one call per tick of the expiry loop. What a key opens does not depend on it: every request
 * asks the clock.
 */
export async function expireKeys(db: Db): Promise<number> {
  const batch = { order: sql`o.expires_at`, limit: 200 }
  return (await transition(db, { ...EXPIRE, where: ENDED, batch })).length
}

/** The same for those that `which` names, over the row `o`, waiting for whoever changes one of them. */
export async function expireKeysNow(tx: Db, which: Sql): Promise<void> {
  await transition(tx, { ...EXPIRE, where: sql`${ENDED} AND ${which}` })
}
