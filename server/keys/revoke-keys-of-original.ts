import type { ClientBase } from 'pg'
import sql from 'sql-template-tag'
import { LAUNCHER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'

/**
 * Revokes every key of a ledger that becomes that of another home ([keys#I-K5]): two installations that accept the same key would each
 * take the other's node for its own. Part of the launcher's transaction. A ledger from before there were keys has none.
 */
export async function revokeKeysOfOriginal(client: ClientBase): Promise<void> {
  const tx = joined(client)
  const { rows } = await tx.query<{ made: boolean }>(
    sql`SELECT to_regclass('machine_key') IS NOT NULL AS made`,
  )
  if (!rows[0]?.made) return
  await transition(tx, {
    machine: 'machine_key',
    event: 'revoke',
    where: sql`true`,
    set: sql`revoked_at = clock_timestamp()`,
    actor: LAUNCHER,
    reason: 'The ledger became that of another home.',
    returning: ['key_id'],
  })
}

/** A transaction that somebody else has begun and ends. Nobody listens yet. */
function joined(client: ClientBase): Db {
  const tx: Db = {
    query: (statement) => client.query(statement),
    transaction: (work) => work(tx),
    notify: () => {},
  }
  return tx
}
