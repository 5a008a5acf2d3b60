import sql from 'sql-template-tag'
import type { CreatedKey, RotateKey } from '#contracts/key.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { isValidKey } from './key-view.ts'
import { makeKey } from './make-key.ts'
import { whyNot } from './revoke-key.ts'

/**
 * Makes a successor beside a valid key: for the same node, of the same kind and name. The old one stays valid for the hours named, and
 * never longer than it was to be; without them until somebody revokes it. Refused where the node has two valid keys already.
 */
export async function rotateKey(
  services: Pick<Services, 'db'>,
  input: RotateKey,
  caller: Caller,
): Promise<Result<CreatedKey>> {
  const { key_id, expires_in_days } = input
  return services.db.transaction(async (tx) => {
    const old = await lockValid(tx, key_id)
    if (!old) return refuse(await whyNot(tx, key_id, 'rotate'))
    const made = await makeKey(tx, { ...old, expires_in_days }, caller)
    if (made.ok) await handOver(tx, input, made.value.key.key_id, caller)
    return made
  })
}

/** The key's own part of its successor; its row is locked, so that it stays valid until the two have changed together. */
async function lockValid(
  tx: Db,
  keyId: string,
): Promise<Row<'machine_key', 'kind' | 'node_id' | 'name'> | undefined> {
  const { rows } = await tx.query<Row<'machine_key', 'kind' | 'node_id' | 'name'>>(
    sql`SELECT ${columns('machine_key', 'k', ['kind', 'node_id', 'name'])} FROM machine_key k
      WHERE k.key_id = ${keyId} AND ${isValidKey} FOR UPDATE`,
  )
  return rows[0]
}

async function handOver(tx: Db, input: RotateKey, successor: string, caller: Caller): Promise<void> {
  const hours = input.previous_ends_in_hours
  // The earlier of the two: least() passes over a null.
  const end =
    hours === null
      ? sql`t.expires_at`
      : sql`least(t.expires_at, clock_timestamp() + make_interval(hours => ${hours}::int))`
  await transition(tx, {
    machine: 'machine_key',
    event: 'rotate',
    where: sql`o.key_id = ${input.key_id}`,
    set: sql`expires_at = ${end}`,
    actor: caller,
    details: sql`jsonb_build_object('successor', ${successor}::text, 'expires_at', m.expires_at)`,
    returning: ['key_id'],
  })
}
