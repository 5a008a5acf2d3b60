/** Leases a task to a worker that can be called, and calls it. The lease is the fence of whatever comes back, by either channel. */
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { callTargetOf } from './call-target.ts'
import { type Called, callWorker } from './call-worker.ts'
import { completeTask } from './complete-task.ts'
import { handBack } from './end-lease.ts'
import { type Granted, leaseTask } from './lease-task.ts'
import { reportOfAnswer } from './report-of-answer.ts'
import { ACTIVE, RUNTIME, type TaskRow } from './runtime-rows.ts'
import { executionFor } from './send-task.ts'

export type DispatchParts = {
  db: Db
  store: ObjectStore
  garden: GitRepository
  env: {
    RUNTIME_URL: string
    RUNTIME_REQUIRE_LEASE: boolean
    MEMBRIDGE_AGENT_KEY: string
    ALLOW_INSECURE_LAN: boolean
  }
}
export type Dispatched = {
  dispatched: true
  task_id: string
  worker_id: string
  lease_id: string
  execution: unknown
}

/** By hand, or with a worker named: waits for the answer of the node. 400 or 409 for a worker that is not called, 502 when it did not take the task. */
export async function dispatchTask(
  parts: DispatchParts,
  { taskId, workerId }: { taskId: string; workerId?: string | null | undefined },
  caller: Caller,
): Promise<Result<Dispatched>> {
  if (workerId) {
    const target = await callTargetOf(parts, workerId)
    if (!target.ok) return target
  }
  const granted = await leaseTask(parts.db, { taskId, workerId, among: 'called' }, caller)
  if (!granted.ok) return granted
  const called = await callHolder(parts, granted.value)
  if (called.kind === 'not_taken')
    return refuse({ code: 'UPSTREAM_UNAVAILABLE', message: called.why.message })
  const { lease } = granted.value
  return ok({
    ...{ dispatched: true, task_id: taskId, worker_id: lease.worker_id, lease_id: lease.id },
    execution: called.kind === 'answered' ? called.body : { ok: null, detail: called.message },
  })
}

/** Calls the holder of a lease that was just granted, and does what its answer says. Never throws for what the node does. */
export async function callHolder(
  parts: DispatchParts,
  granted: Granted,
  signal?: AbortSignal,
): Promise<Called> {
  const { db, env } = parts
  const { lease } = granted
  const { rows } = await db.query<TaskRow>(sql`SELECT t.* FROM llm_task t WHERE t.task_id = ${lease.task_id}`)
  const task = rows[0] as TaskRow
  const target = await callTargetOf(parts, lease.worker_id)
  if (!target.ok) {
    const why = { message: target.refusal.message }
    await handBack(db, lease.id, why)
    return { kind: 'not_taken', why }
  }
  await db.query(sql`UPDATE task_attempt SET dispatched_at = clock_timestamp() WHERE lease_id = ${lease.id}`)
  const called = await callWorker(
    {
      ...{ url: target.value.url, key: target.value.key, signal },
      ...{ timeoutSeconds: task.timeout_sec, restSeconds: task.retry_policy.base_delay_sec },
      body: await executionFor(parts, task, granted),
    },
    env,
  )
  await handleAnswer(parts, granted, called)
  return called
}

async function handleAnswer(parts: DispatchParts, granted: Granted, called: Called): Promise<void> {
  const { lease, token } = granted
  if (called.kind === 'not_taken') {
    await handBack(parts.db, lease.id, called.why)
    return
  }
  if (called.kind === 'unknown') {
    await recordEvent(parts.db, {
      ...{ name: 'task.dispatch_unanswered', actor: RUNTIME, outcome: 'error' },
      resource: { type: 'task', id: lease.task_id },
      refs: { task_id: lease.task_id, lease_id: lease.id },
      details: { cause: called.message },
    })
    return
  }
  if (!(await isActive(parts.db, lease.id))) return
  const report = reportOfAnswer(lease.task_id, called.body)
  const shown = { token, leaseId: null, fence: null, address: 'internal' }
  await completeTask(parts, { taskId: lease.task_id, shown, report }, RUNTIME)
}

/** Most nodes have reported before they answer. */
async function isActive(db: Db, leaseId: string): Promise<boolean> {
  const { rows } = await db.query(
    sql`SELECT 1 FROM task_lease WHERE lease_id = ${leaseId} AND status = ${ACTIVE}`,
  )
  return rows.length > 0
}
