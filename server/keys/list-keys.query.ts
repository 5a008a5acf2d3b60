/** SQL, not Prisma: the view is shared with the writes, which answer inside their own transaction. */
import sql, { type Sql } from 'sql-template-tag'
import type { KeyList, KeyView } from '#contracts/key.contract.ts'
import { machineKeyMachine } from '#domain/machine-key/machine-key.machine.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { isValidKey, KEY_VIEW_COLUMNS, type KeyViewRow, keyState, keyView } from './key-view.ts'

const { create, expire } = machineKeyMachine.events
const newestKeys = keyset('machine_key', 'keys', { created_at: 'time', key_id: 'text' }, 'desc')

/** Keys, newest first. */
export async function listKeys(
  { db }: Pick<Services, 'db'>,
  { status, node_id, cursor, limit }: KeyList,
): Promise<{ items: KeyView[]; next_cursor: string | null }> {
  const ofNode = node_id === undefined ? undefined : sql`k.node_id = ${node_id}`
  const { rows } = await db.query<KeyViewRow>(sql`SELECT ${KEY_VIEW_COLUMNS} FROM machine_key k
    ${whereAll(status && inState(status), ofNode, newestKeys.after('k', cursor))}
    ORDER BY ${newestKeys.order('k')} LIMIT ${limit + 1}`)
  const page = newestKeys.page(rows, limit)
  return { items: page.rows.map(keyView), next_cursor: page.next_cursor }
}

function inState(status: NonNullable<KeyList['status']>): Sql {
  if (status === create.to) return isValidKey
  return status === expire.to
    ? sql`${keyState} = ${state(machineKeyMachine, 'expired')}`
    : sql`k.status = ${state(machineKeyMachine, status)}`
}
