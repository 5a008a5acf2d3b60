import sql from 'sql-template-tag'
import type { KeyView } from '#contracts/key.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { findKey } from './key-view.ts'

/** Ends a key for good; the next request with it is refused. */
export async function revokeKey(
  services: Pick<Services, 'db'>,
  { key_id }: { key_id: string },
  caller: Caller,
): Promise<Result<KeyView>> {
  return services.db.transaction(async (tx) => {
    const moved = await transition(tx, {
      machine: 'machine_key',
      event: 'revoke',
      where: sql`o.key_id = ${key_id}`,
      set: sql`revoked_at = clock_timestamp()`,
      actor: caller,
      returning: ['key_id'],
    })
    const key = moved.length > 0 ? await findKey(tx, key_id) : null
    return key ? ok(key) : refuse(await whyNot(tx, key_id, 'revoke'))
  })
}

/** Why nothing happened to a key: there is none, or its state is final. */
export async function whyNot(db: Db, keyId: string, event: 'rotate' | 'revoke'): Promise<Refusal> {
  const key = await findKey(db, keyId)
  if (!key) return { code: 'NOT_FOUND', message: 'There is no such key.' }
  return {
    code: 'INVALID_TRANSITION',
    message: `A key in state ${key.status} can no longer be changed.`,
    details: { from: key.status, event },
  }
}
