/** SQL, not Prisma: writes answer with the key inside their own transaction. */
import sql, { type Sql } from 'sql-template-tag'
import type { KeyView } from '#contracts/key.contract.ts'
import type { KeyKind } from '#domain/machine-key/key-kinds.ts'
import { machineKeyMachine } from '#domain/machine-key/machine-key.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    machine_key: { kind: KeyKind }
  }
}

const NAMES = [
  'key_id',
  'kind',
  'node_id',
  'name',
  'scopes',
  'created_by',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

const ACTIVE = state(machineKeyMachine, 'active')

/** True of key `k` at this moment of the database clock until its end or its revocation, whether or not the sweep has come by. */
export const isValidKeyAt = (moment: Sql): Sql =>
  sql`k.status = ${ACTIVE} AND (k.expires_at IS NULL OR k.expires_at > ${moment})`
/** At the moment when the row is looked at: it holds of a row that was waited for. */
export const isValidKey: Sql = isValidKeyAt(sql`clock_timestamp()`)

/** The state of key `k` by the clock. */
export const keyState: Sql = sql`CASE WHEN k.status = ${ACTIVE} AND k.expires_at <= clock_timestamp()
  THEN ${state(machineKeyMachine, 'expired')} ELSE k.status END`

export type KeyViewRow = Row<'machine_key', (typeof NAMES)[number] | 'status'>
/** The hash is not among them. */
export const KEY_VIEW_COLUMNS: Sql = sql`${columns('machine_key', 'k', NAMES)}, ${keyState} AS status`

export const keyView = (k: KeyViewRow): KeyView => ({
  ...k,
  created_at: k.created_at.toISOString(),
  expires_at: k.expires_at?.toISOString() ?? null,
  revoked_at: k.revoked_at?.toISOString() ?? null,
  last_used_at: k.last_used_at?.toISOString() ?? null,
})

/** The key as it is now; null when there is none. */
export async function findKey(db: Db, keyId: string): Promise<KeyView | null> {
  const { rows } = await db.query<KeyViewRow>(
    sql`SELECT ${KEY_VIEW_COLUMNS} FROM machine_key k WHERE k.key_id = ${keyId}`,
  )
  return rows[0] ? keyView(rows[0]) : null
}
