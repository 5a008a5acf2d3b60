import sql from 'sql-template-tag'
import type { RetentionState } from '#contracts/system.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'

const COLUMNS = [
  'days',
  'announced_at',
  'begins_at',
  'artifacts',
  'bytes',
  'oldest_at',
  'last_error',
  'failing_since',
] as const

type State = Row<'retention', (typeof COLUMNS)[number]> & {
  removed: number
  removed_bytes: number
}

/** What retention announced under the present value, and what it has removed in all and what keeps it from removing. */
export async function retentionState(db: Db): Promise<RetentionState> {
  const { rows } =
    await db.query<State>(sql`SELECT ${columns('retention', 'r', COLUMNS)}, gone.removed, gone.removed_bytes
    FROM retention r, (SELECT count(*) AS removed, coalesce(sum(a.bytes), 0)::bigint AS removed_bytes
      FROM artifact_removal x JOIN artifact a ON a.artifact_id = x.artifact_id) gone`)
  const [state] = rows
  if (!state) throw new Error('the ledger has no row of retention')
  const iso = (at: Date | null) => at?.toISOString() ?? null
  const { announced_at, begins_at, oldest_at, failing_since } = state
  return {
    ...state,
    announced_at: iso(announced_at),
    begins_at: iso(begins_at),
    oldest_at: iso(oldest_at),
    failing_since: iso(failing_since),
  }
}
