import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { ModelTask, ModelWorker } from './runtime-model.ts'

type Model = { tasks: readonly ModelTask[]; workers: readonly ModelWorker[] }

/**
 * Compares the ledger with the model after a command, and throws with the first difference. Before that it moves every time that is to come an hour away,
 * so that nothing ends by itself in a walk, and it means the same on a machine of any speed.
 */
export async function compareLedger(db: Db, { tasks, workers }: Model, kind: string): Promise<void> {
  const far = sql`clock_timestamp() + interval '1 hour'`
  const soon = sql`BETWEEN clock_timestamp() AND clock_timestamp() + interval '30 minutes'`
  const { rows } = await db.query<{ id: string; summary: string }>(
    prepared(sql`WITH leases AS (UPDATE task_lease SET expires_at = ${far} WHERE status = 'active' AND expires_at ${soon}),
      delays AS (UPDATE llm_task SET retry_at = CASE WHEN retry_at ${soon} THEN ${far} ELSE retry_at END,
        not_before = CASE WHEN not_before ${soon} THEN ${far} ELSE not_before END WHERE retry_at ${soon} OR (status = 'queued' AND not_before ${soon})),
      breakers AS (UPDATE worker_breaker SET open_until = ${far} WHERE open_until ${soon}),
      workers AS (UPDATE worker_node SET rate_limited_until = CASE WHEN rate_limited_until ${soon} THEN ${far} ELSE rate_limited_until END,
        last_heartbeat_at = CASE WHEN offline_at IS NULL THEN clock_timestamp() ELSE last_heartbeat_at END)
      SELECT task_id::text AS id, status || ' attempts ' || attempts || ' fence ' || fence || (CASE WHEN retry_at IS NULL THEN '' ELSE ' waits' END) AS summary
        FROM llm_task WHERE task_id = ANY(${tasks.map((t) => t.id)}::uuid[])
      UNION ALL SELECT w.worker_id::text, 'active ' || w.active_leases || ' of ' || (SELECT count(*) FROM task_lease l WHERE l.worker_id = w.worker_id AND l.status = 'active')
        || ' ' || b.state || ' ' || b.failures FROM worker_node w JOIN worker_breaker b USING (worker_id)`),
  )
  const summary = new Map(rows.map((row) => [row.id, row.summary]))
  for (const t of tasks)
    equal(
      `after ${kind}: task ${t.id}`,
      summary.get(t.id),
      `${t.state} attempts ${t.attempts} fence ${t.fence}${t.waits ? ' waits' : ''}`,
    )
  for (const w of workers)
    equal(
      `after ${kind}: worker ${w.max}`,
      summary.get(w.id),
      `active ${w.active} of ${w.active} ${w.breaker} ${w.failures}`,
    )
}

export function equal(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`)
}
