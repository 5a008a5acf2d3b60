import sql from 'sql-template-tag'
import type { RetentionState } from '#contracts/system.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'

type State = Row<'retention', 'days' | 'announced_at' | 'begins_at' | 'artifacts' | 'bytes' | 'oldest_at'> & {
  removed: number
  removed_bytes: number
}

/** What retention announced under the present value, and what it has removed in all. */
export async function retentionState(db: Db): Promise<RetentionState> {
  const { rows } =
    await db.query<State>(sql`SELECT r.days, r.announced_at, r.begins_at, r.artifacts, r.bytes, r.oldest_at, gone.removed, gone.removed_bytes
    FROM retention r, (SELECT count(*) AS removed, coalesce(sum(a.bytes), 0)::bigint AS removed_bytes
      FROM artifact_removal x JOIN artifact a ON a.artifact_id = x.artifact_id) gone`)
  const [state] = rows
  if (!state) throw new Error('the ledger has no row of retention')
  const iso = (at: Date | null) => at?.toISOString() ?? null
  const { announced_at, begins_at, oldest_at } = state
  return { ...state, announced_at: iso(announced_at), begins_at: iso(begins_at), oldest_at: iso(oldest_at) }
}
