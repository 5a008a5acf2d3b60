import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Fenced } from './run-parts.ts'

/** Records that a former holder came too late: its fence is old, so what it wanted to write was refused ([runs#R9]). */
export async function recordRefusedWrite(db: Db, lease: Pick<Fenced, 'runId' | 'fence'>): Promise<void> {
  const { rows } = await db.query<Row<'run', 'status' | 'fence' | 'agent_slug' | 'current_step'>>(
    sql`SELECT status, fence, agent_slug, current_step FROM run WHERE run_id = ${lease.runId}`,
  )
  const run = rows[0]
  if (!run) return
  await recordEvent(db, {
    name: 'run.write.refused',
    actor: ORCHESTRATION_LAYER,
    resource: { type: 'run', id: lease.runId },
    outcome: 'refused',
    errorCode: 'FENCE_STALE',
    from: run.status,
    refs: { run_id: lease.runId, agent: run.agent_slug },
    details: { fence: lease.fence, current_fence: run.fence, step: run.current_step },
  })
}
