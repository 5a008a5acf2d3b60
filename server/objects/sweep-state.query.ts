import sql from 'sql-template-tag'
import type { ObjectSweepState } from '#contracts/system.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'

type State = Row<
  'object_sweep',
  'finished_at' | 'listed' | 'removed' | 'total_removed' | 'total_bytes' | 'last_error'
> & {
  waiting: number
  waiting_bytes: number
}

/** What the last pass of the sweep did, what waits for its removal, and what all passes removed. */
export async function sweepState(db: Db): Promise<ObjectSweepState> {
  const { rows } =
    await db.query<State>(sql`SELECT s.finished_at, s.listed, s.removed, s.total_removed, s.total_bytes, s.last_error,
      m.waiting, m.waiting_bytes
    FROM object_sweep s, (SELECT count(*) AS waiting, coalesce(sum(bytes), 0)::bigint AS waiting_bytes
      FROM object_mark WHERE removed_at IS NULL) m`)
  const [state] = rows
  if (!state) throw new Error('the ledger has no row of the sweep')
  return { ...state, finished_at: state.finished_at?.toISOString() ?? null }
}
