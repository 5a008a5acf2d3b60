/** What a node is sent of a task, whether it is called or fetches: the request as existing nodes read it, with what only the runtime can resolve. */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Granted } from './lease-task.ts'
import { resolveHints, wantsDefinition } from './resolve-hints.ts'
import type { TaskRow } from './runtime-rows.ts'

export type SendParts = { db: Db; garden: GitRepository; env: { RUNTIME_URL: string } }

/** Where a node reports: an address that shows its lease, whether or not the node knows of leases. */
const runtimeUrlOf = (env: { RUNTIME_URL: string }, token: string): string =>
  `${env.RUNTIME_URL}/lease/${token}`

/** The body for the node that holds the lease; what became of the hints of the runtime stands on the attempt. */
export async function executionFor({ db, garden, env }: SendParts, task: TaskRow, { lease, token }: Granted) {
  const takes = wantsDefinition(task) && (await takesDefinition(db, lease.worker_id))
  const { prompt, definition, hints, report } = await resolveHints(garden, task, takes)
  if (report.length > 0)
    await db.query(
      sql`UPDATE task_attempt SET context_report = ${json(report)} WHERE lease_id = ${lease.id} AND context_report IS NULL`,
    )
  return {
    task_id: task.task_id,
    prompt,
    ...(definition === null ? {} : { definition }),
    context_id: task.context_id,
    agent_slug: task.agent_slug,
    desired_format: task.desired_format,
    context_hints: hints,
    policy: {
      timeout_sec: task.timeout_sec,
      budget: typeof task.budget === 'number' ? task.budget : task.budget.max_tokens,
      retry: task.retry_policy,
    },
    runtime_url: runtimeUrlOf(env, token),
    ...(task.structured_input === null ? {} : { structured_input: task.structured_input }),
    attachments: task.attachments,
    ...(task.tracing === null ? {} : { tracing: task.tracing }),
  }
}

/** What the node said of itself when it registered; an existing node says nothing of it and reads only the prompt. */
async function takesDefinition(db: Db, workerId: string): Promise<boolean> {
  const { rows } = await db.query<{ takes: boolean }>(
    sql`SELECT features -> 'definition' = 'true'::jsonb AS takes FROM worker_node WHERE worker_id = ${workerId}`,
  )
  return rows[0]?.takes === true
}
