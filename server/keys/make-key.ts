/**
 * Makes a key in a free place of its node: the one statement behind creating and rotating.
 *
 * The unique index over kind, node and place holds the bound, not this code: of two that take the same place at once the second one waits
 * for the first to commit and gets no row. It then tries the other place, so a key that fits is made whoever was faster; once as many
 * have been lost as there are places, all are taken.
 */
import sql from 'sql-template-tag'
import type { CreatedKey, CreateKey } from '#contracts/key.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { KEY_KINDS, MAX_VALID_KEYS } from '#domain/machine-key/key-kinds.ts'
import { machineKeyMachine } from '#domain/machine-key/machine-key.machine.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import { expireKeysNow } from './expire-keys.ts'
import { newKey } from './key-secret.ts'
import { findKey } from './key-view.ts'

const TWO_ALREADY: Refusal = {
  code: 'LIMIT_EXCEEDED',
  message: 'This node already has two valid keys. Revoke one of them first.',
}

/** The key with its secret, which is nowhere else; refused where the node has two valid keys. Part of the caller's transaction. */
export async function makeKey(tx: Db, input: CreateKey, caller: Caller): Promise<Result<CreatedKey>> {
  const { kind, node_id } = input
  // A key whose end has come gives its place back, though the sweep has not been by.
  await expireKeysNow(tx, sql`o.kind = ${kind} AND o.node_id = ${node_id}`)
  for (let lost = 0; lost < MAX_VALID_KEYS; lost++) {
    const made = await tryPlace(tx, input, caller)
    if (made) return ok(made)
  }
  return refuse(TWO_ALREADY)
}

async function tryPlace(tx: Db, input: CreateKey, caller: Caller): Promise<CreatedKey | null> {
  const { kind, node_id, name, expires_in_days: days } = input
  const { keyId, text, hash } = newKey()
  // Where no place is free the first one is named, and the index refuses it.
  const place = sql`coalesce((SELECT min(p) FROM generate_series(1, ${MAX_VALID_KEYS}::int) AS p
    WHERE NOT EXISTS (SELECT FROM machine_key k WHERE k.kind = ${kind} AND k.node_id = ${node_id}
      AND k.status = ${state(machineKeyMachine, 'active')} AND k.slot = p)), 1)`
  const row = await create(tx, {
    machine: 'machine_key',
    actor: caller,
    details: { kind, node_id, name, scopes: KEY_KINDS[kind].scopes, expires_in_days: days },
    values: {
      key_id: keyId,
      kind,
      node_id,
      name,
      scopes: KEY_KINDS[kind].scopes,
      hash,
      slot: place,
      created_by: caller.identity,
      expires_at: days === null ? null : sql`clock_timestamp() + make_interval(days => ${days}::int)`,
    },
  })
  const key = row && (await findKey(tx, keyId))
  return key && { key, secret: text }
}
