import { createHash, randomUUID } from 'node:crypto'
import canonicalize from 'canonicalize'
import sql from 'sql-template-tag'
import type { TaskRequest, TaskView } from '#contracts/llm-task.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { state } from '#server/ledger/states.ts'
import { redactText } from '#server/redaction/redact.ts'
import { type TaskRow, taskView } from './runtime-rows.ts'

/** How long a key names its task. */
const KEY_DAYS = 7

export type CreatedTask = { task: TaskView; created: boolean }
/** The call of a run that the task answers, and the id that follows from it: a replay makes no second task. */
export type AskedBy = { taskId: string; runId: string; step: string }

/**
 * T1: creates the task inside the transaction of its cause. The same key of the same caller with the same request answers with the task that it made, once
 * that is completed; while it is on its way 409 `DUPLICATE_ENTRY` with its id, and 409 `IDEMPOTENCY_MISMATCH` for another request [runtime#idempotency].
 */
export async function createTask(
  tx: Db,
  request: TaskRequest,
  caller: Caller,
  askedBy?: AskedBy,
): Promise<Result<CreatedTask>> {
  const { idempotency_key: key, ...rest } = request
  const digest = createHash('sha256')
    .update(canonicalize(rest) ?? '')
    .digest('hex')
  if (key !== undefined) {
    await forgetOldKey(tx, caller, key)
    if (await namesAnother(tx, caller, key, digest)) return MISMATCH
  }
  const { policy } = request
  const made = await create(tx, {
    machine: 'llm_task',
    actor: caller,
    prepared: true,
    values: {
      task_id: askedBy?.taskId ?? randomUUID(),
      run_id: askedBy?.runId ?? null,
      run_step: askedBy?.step ?? null,
      tenant: 'default',
      caller: caller.identity,
      context_id: request.context_id,
      agent_slug: request.agent_slug,
      prompt: request.prompt,
      context_hints: request.context_hints,
      timeout_sec: policy.timeout_sec,
      budget: json(policy.budget),
      retry_policy: json(policy.retry),
      required_labels: policy.required_labels,
      preferred_labels: policy.preferred_labels,
      allow_fallback: policy.allow_fallback,
      desired_format: request.desired_format,
      max_attempts: request.max_attempts,
      priority: request.priority,
      structured_input: request.structured_input === undefined ? null : json(request.structured_input),
      attachments: json(request.attachments),
      tracing: request.tracing === undefined ? null : json(request.tracing),
      idempotency_key: key ?? null,
      payload_digest: digest,
    },
    details: sql`jsonb_build_object('payload_digest', m.payload_digest, 'context_id', m.context_id, 'max_attempts', m.max_attempts)`,
  })
  if (made) return ok({ task: taskView(made), created: true })
  return existing(tx, caller, key ?? '', digest)
}

const MISMATCH = refuse({
  code: 'IDEMPOTENCY_MISMATCH',
  message: 'This idempotency key was used for another request.',
})

async function forgetOldKey(tx: Db, caller: Caller, key: string): Promise<void> {
  await tx.query(sql`UPDATE llm_task SET idempotency_key = NULL
    WHERE caller = ${caller.identity} AND idempotency_key = ${key} AND created_at < clock_timestamp() - make_interval(days => ${KEY_DAYS})`)
}

async function namesAnother(tx: Db, caller: Caller, key: string, digest: string): Promise<boolean> {
  const { rows } = await tx.query(sql`SELECT 1 FROM llm_task
    WHERE caller = ${caller.identity} AND idempotency_key = ${key} AND payload_digest <> ${digest} LIMIT 1`)
  return rows.length > 0
}

/** The task that the key names; one that ended without an answer made room for another. */
async function existing(tx: Db, caller: Caller, key: string, digest: string): Promise<Result<CreatedTask>> {
  const { rows } = await tx.query<TaskRow>(sql`SELECT t.* FROM llm_task t
    WHERE t.caller = ${caller.identity} AND t.idempotency_key = ${key}
    ORDER BY t.status = ${state(taskMachine, 'completed')} DESC, t.created_at DESC LIMIT 1`)
  const task = rows[0]
  if (!task) throw new Error('a task was refused by a unique rule that is none of its key')
  if (task.payload_digest !== digest) return MISMATCH
  if (task.status === taskMachine.events.succeed.to) return ok({ task: taskView(task), created: false })
  return refuse({
    code: 'DUPLICATE_ENTRY',
    message: redactText(`A task with this idempotency key is ${task.status} already.`),
    details: { task_id: task.task_id },
  })
}
