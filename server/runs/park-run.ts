/**
 * A run that waits for a person ([questions#how-a-run-waits]). Parked it holds nothing: no lease, no place of a worker, no part of `RUNS_MAX_RUNNING`, and not its
 * agent's lane, which the unique index grants to the run that is worked on. Releasing one takes the lane again, so it is decided under the lock of the queue.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { IN_OPEN } from '#server/questions/question-row.ts'
import { QUEUE_LOCK } from './queue-lock.ts'
import { type ClaimedRun, LEASE_END } from './run-leases.ts'
import type { Fenced, RunParts } from './run-parts.ts'
import { IN_RUNNING, worked } from './run-row.ts'

/** Parks a run on its question. False when the fence is stale. */
export async function parkRun(db: Db, lease: Fenced, questionId: string): Promise<boolean> {
  const { rowCount } =
    await db.query(sql`UPDATE run SET waiting_on = ${json({ kind: 'question', id: questionId })}, parked_at = clock_timestamp(),
      lease_holder = NULL, lease_expires_at = NULL, revision = revision + 1, updated_at = clock_timestamp()
    WHERE run_id = ${lease.runId} AND fence = ${lease.fence} AND status = ${IN_RUNNING} AND lease_holder IS NOT NULL`)
  if (rowCount === 1) db.notify('runs')
  return rowCount === 1
}

/** `SET` for the end of parking, over the row `t`: its time counts as waiting, not as the run's own. */
export const UNPARK: Sql = sql`waiting_on = NULL, parked_at = NULL,
  parked_ms = t.parked_ms + (extract(epoch FROM clock_timestamp() - t.parked_at) * 1000)::bigint`

/** The parked run `p` has nothing to wait for any more: an answer, an expiry, a cancel, or a ledger that has lost the question. */
export const RELEASABLE: Sql = sql`p.status = ${IN_RUNNING} AND p.parked_at IS NOT NULL AND (p.cancel_requested IS NOT NULL OR NOT EXISTS (
  SELECT 1 FROM run_question w WHERE w.question_id = (p.waiting_on ->> 'id')::uuid AND w.status = ${IN_OPEN}))`

type Parts = Pick<RunParts, 'db' | 'holder' | 'env'>

/** Takes up at most `limit` parked runs that may go on, one an agent and within the limit of all, the longest parked first. */
export async function releaseParked({ db, holder, env }: Parts, limit: number): Promise<ClaimedRun[]> {
  const { rows: due } = await db.query(sql`SELECT 1 FROM run p WHERE ${RELEASABLE} LIMIT 1`)
  if (due.length === 0) return []
  return db.transaction(async (tx) => {
    await tx.query(QUEUE_LOCK)
    const { rows } = await tx.query<ClaimedRun>(sql`WITH first AS (
        SELECT DISTINCT ON (p.agent_slug) p.run_id, p.parked_at FROM run p
        WHERE ${RELEASABLE} AND NOT EXISTS (SELECT 1 FROM run r WHERE r.agent_slug = p.agent_slug AND ${worked('r')})
        ORDER BY p.agent_slug, p.parked_at, p.run_id),
      due AS (SELECT run_id FROM first ORDER BY parked_at, run_id
        LIMIT least(${limit}::int, greatest(0, ${env.RUNS_MAX_RUNNING}::int - (SELECT count(*)::int FROM run r WHERE ${worked('r')}))))
      UPDATE run t SET fence = t.fence + 1, revision = t.revision + 1, ${UNPARK}, lease_holder = ${holder}, lease_expires_at = ${LEASE_END},
        updated_at = clock_timestamp()
      FROM due WHERE t.run_id = due.run_id AND t.parked_at IS NOT NULL RETURNING t.run_id, t.fence`)
    return rows
  })
}
