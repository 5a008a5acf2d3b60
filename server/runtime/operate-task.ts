/** What people may do to a task: put it back into the queue (T11), cancel it (T12). */
import sql from 'sql-template-tag'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { allowed } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type TaskState, taskMachine } from '#domain/task/task.machine.ts'
import { type Db, sqlState, UNIQUE_VIOLATION } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import { closeAttempt } from './end-lease.ts'
import { ACTIVE, FAILED, IN_WORK, OVER, RUN_OVER, type TaskRow, taskView } from './runtime-rows.ts'
import { NO_TASK } from './seen-task.ts'

type Command = { taskId: string; reason: string }

/** How often a command looks again when the task, or whoever has its key, changed between look and change. */
const LOOKS = 5

/**
 * T11: a failed or dead task begins anew with all its attempts; its history stays. Its idempotency key stays, too, unless another task has it now. Refused
 * where its run has ended: nobody would wait for the answer. A task that takes the key in the very moment is seen by the unique index alone, which ends
 * the transaction, so `db` is the pool.
 */
export async function requeueTask(db: Db, command: Command, caller: Caller): Promise<Result<TaskView>> {
  for (let look = 1; ; look++) {
    try {
      return await requeueOnce(db, command, caller)
    } catch (error) {
      if (look === LOOKS || sqlState(error) !== UNIQUE_VIOLATION) throw error
    }
  }
}

function requeueOnce(db: Db, { taskId, reason }: Command, caller: Caller): Promise<Result<TaskView>> {
  return db.transaction(async (tx) => {
    const [task] = await transition<TaskRow>(tx, {
      machine: 'llm_task',
      event: 'requeue',
      actor: caller,
      reason,
      where: sql`o.task_id = ${taskId} AND NOT EXISTS (SELECT FROM run r WHERE r.run_id = o.run_id AND ${RUN_OVER})`,
      set: sql`attempts = 0, retry_at = NULL, not_before = clock_timestamp(), excluded_worker_id = NULL, first_worker_id = NULL, wait_reason = NULL,
        ended_at = NULL, lease_id = NULL, worker_id = NULL, idempotency_key = CASE WHEN t.retry_at IS NULL AND EXISTS (SELECT FROM llm_task n
          WHERE n.caller = t.caller AND n.idempotency_key = t.idempotency_key AND n.task_id <> t.task_id) THEN NULL ELSE t.idempotency_key END`,
      details: sql`jsonb_build_object('fence', m.fence)`,
    })
    return task ? ok(taskView(task)) : refusal(tx, 'requeue', taskId, caller)
  })
}

/** T12: final; whoever works on it finds its lease gone. A task that has ended is refused. */
export async function cancelTask(db: Db, command: Command, caller: Caller): Promise<Result<TaskView>> {
  for (let look = 0; look < LOOKS; look++) {
    const { rows } = await db.query<Row<'llm_task', 'fence'> & { active: string | null }>(
      sql`SELECT t.fence, l.lease_id AS active FROM llm_task t LEFT JOIN task_lease l ON l.task_id = t.task_id AND l.status = ${ACTIVE}
        WHERE t.task_id = ${command.taskId}`,
    )
    const found = rows[0]
    if (!found) return NO_TASK
    const cancelled = await cancelAt(db, command, { fence: found.fence, leaseId: found.active }, caller)
    if (cancelled) return ok(taskView(cancelled))
    if (await isOver(db, command.taskId)) return refusal(db, 'cancel', command.taskId, caller)
  }
  return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'The task is changing just now. Try again.' })
}

/** The lease first, then the task under the fence that was seen; null when either has moved on. */
async function cancelAt(
  db: Db,
  { taskId, reason }: Command,
  { fence, leaseId }: { fence: number; leaseId: string | null },
  caller: Caller,
): Promise<TaskRow | null> {
  const moved = new Error('moved on')
  const message = redactText(reason)
  try {
    return await db.transaction(async (tx) => {
      if (leaseId !== null) {
        const ended = await transition(tx, {
          machine: 'task_lease',
          event: 'fail',
          actor: caller,
          where: sql`o.lease_id = ${leaseId}`,
          set: sql`ended_at = clock_timestamp()`,
          returning: ['lease_id'],
        })
        if (ended.length === 0) throw moved
        await closeAttempt(tx, leaseId, { outcome: 'canceled', code: 'canceled', message })
      }
      const [task] = await transition<TaskRow>(tx, {
        machine: 'llm_task',
        event: 'cancel',
        actor: caller,
        reason,
        where: sql`o.task_id = ${taskId} AND o.fence = ${fence} AND (o.status <> ${FAILED} OR o.retry_at IS NOT NULL)
          AND (o.status IN ${IN_WORK}) = ${leaseId !== null}`,
        set: sql`fence = t.fence + 1, error_code = 'canceled', last_error = ${message}, retry_at = NULL, wait_reason = NULL, ended_at = clock_timestamp()`,
        details: sql`jsonb_build_object('fence', m.fence, 'lease_id', m.lease_id)`,
      })
      if (!task) throw moved
      return task
    })
  } catch (error) {
    if (error === moved) return null
    throw error
  }
}

async function isOver(db: Db, taskId: string): Promise<boolean> {
  const { rows } = await db.query(
    sql`SELECT 1 FROM llm_task t WHERE t.task_id = ${taskId} AND (t.status IN ${OVER} OR (t.status = ${FAILED} AND t.retry_at IS NULL))`,
  )
  return rows.length > 0
}

async function refusal(
  db: Db,
  event: 'requeue' | 'cancel',
  taskId: string,
  caller: Caller,
): Promise<Result<never>> {
  const { rows } = await db.query<{ status: TaskState; agent_slug: string; run_over: boolean }>(
    sql`SELECT t.status, t.agent_slug, EXISTS (SELECT FROM run r WHERE r.run_id = t.run_id AND ${RUN_OVER}) AS run_over FROM llm_task t WHERE t.task_id = ${taskId}`,
  )
  const task = rows[0]
  if (!task) return NO_TASK
  await recordEvent(db, {
    name: event === 'requeue' ? 'task.requeued' : 'task.cancelled',
    actor: caller,
    resource: { type: 'task', id: taskId },
    outcome: 'refused',
    errorCode: 'INVALID_TRANSITION',
    from: task.status,
    refs: { task_id: taskId, agent: task.agent_slug },
    details: { event },
  })
  return refuse({
    code: 'INVALID_TRANSITION',
    message:
      event === 'requeue' && task.run_over
        ? 'The run of this task has ended, so nobody waits for the answer. Start the run again.'
        : `This cannot be done to a task that is ${task.status}.`,
    details: { from: task.status, event, allowed: allowed(taskMachine, task.status) },
  })
}
