/** LLM Tasks for component tests; what is not named is that of one that waits for a worker. */
import {
  type LeaseView,
  leaseView,
  type SelectionView,
  type TaskDetail,
  type TaskView,
  taskDetail,
  taskPage,
  taskPolicy,
  taskView,
} from '#contracts/llm-task.contract.ts'
import { type AttemptView, attemptView } from '#contracts/task-report.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

export const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const WORKER = idOf(900)
export const before = (seconds: number): number => Date.now() - seconds * 1_000

export const chosenOrange = (): SelectionView => ({
  ...{ rule: 'load', chosen: WORKER, filtered: { offline: 1 }, at: before(60) },
  considered: [
    {
      ...{ worker_id: WORKER, name: 'orange', verdict: 'chosen', reason: 'load' },
      ...{ free_slots: 2, last_heartbeat: before(61), until: null },
    },
    {
      ...{ worker_id: idOf(901), name: 'rpi', verdict: 'filtered', reason: 'offline' },
      ...{ free_slots: 1, last_heartbeat: before(240), until: null },
    },
  ],
})

export const nobody = (): SelectionView => {
  const { considered, filtered } = chosenOrange()
  return { rule: null, chosen: null, considered: considered.slice(1), filtered, at: before(0) }
}

export const aTask = (n: number, more: Partial<TaskView> = {}): TaskView =>
  taskView.parse({
    ...{
      id: idOf(n),
      context_id: 'garden',
      agent_slug: 'scout',
      prompt: `Name ${n} bees.`,
      prompt_bytes: 14,
    },
    ...{
      context_hints: [],
      policy: taskPolicy.parse({}),
      desired_format: 'text',
      max_attempts: 3,
      priority: 0,
    },
    ...{ idempotency_key: null, structured_input: null, attachments: [], tracing: null },
    ...{ status: 'queued', attempts: 0, fence: 0, lease_id: null, worker_id: null, not_before: before(60) },
    ...{ retry_at: null, error_code: null, last_error: null, wait_reason: 'no_worker', selection: nobody() },
    ...{ artifact_id: null, run_id: null, tenant: 'garden', payload_digest: 'ab'.repeat(32) },
    ...{ created_at: before(60), updated_at: before(60), ended_at: null },
    ...more,
  } satisfies TaskView)

export const aLease = (n: number, more: Partial<LeaseView> = {}): LeaseView =>
  leaseView.parse({
    ...{ id: idOf(500 + n), task_id: idOf(n), worker_id: WORKER, context_id: 'garden', status: 'active' },
    ...{ fence: 1, ttl_seconds: 150, started_at: before(50), last_heartbeat: before(5) },
    ...{ expires_at: before(-100), ended_at: null, selection: chosenOrange() },
    ...more,
  } satisfies LeaseView)

export const anAttempt = (n: number, more: Partial<AttemptView> = {}): AttemptView =>
  attemptView.parse({
    ...{ lease_id: idOf(500 + n), worker_id: WORKER, worker: 'orange', number: 1, dispatched_at: before(50) },
    ...{ phase: 'running', tail: null, context_report: [], outcome: null, error_code: null },
    ...{ error_message: null, partial_output: null, duration_ms: null, tokens_used: null, model: null },
    completed_at: null,
    ...more,
  } satisfies AttemptView)

type Details = Partial<Pick<TaskDetail, 'leases' | 'attempt_list' | 'history' | 'result'>>

/** LLM Tasks behind the pages. `sent` is what was asked; what is changed there shows in the next answer. */
export function taskLedger(tasks: TaskView[], details: Details = {}) {
  const sent: [string, unknown][] = []
  const listed: unknown[] = []
  const find = (id: string): TaskView => {
    const task = tasks.find((one) => one.id === id)
    if (!task) throw new Refused('NOT_FOUND', 'LLM Task not found')
    return task
  }
  const change = (what: string, input: { id: string }, more: Partial<TaskView>) => {
    sent.push([what, input])
    return Object.assign(find(input.id), more)
  }
  type Command = { id: string; reason: string }
  type NewTask = { agent_slug: string; prompt: string; idempotency_key: string }
  const room = router({
    list: query(taskPage, (input: { status?: string; agent?: string }) => {
      listed.push(input)
      const items = tasks.filter(
        (task) =>
          (!input.status || task.status === input.status) &&
          (!input.agent || task.agent_slug === input.agent),
      )
      return { items, next_cursor: null }
    }),
    get: query(taskDetail, ({ id }: { id: string }) => ({
      ...find(id),
      ...{ leases: [], attempt_list: [], history: [], result: null },
      ...details,
    })),
    create: mutation(taskView, (input: NewTask) => {
      sent.push(['create', input])
      const { agent_slug, prompt, idempotency_key } = input
      const named = tasks.find((one) => one.idempotency_key === idempotency_key)
      if (named && named.prompt !== prompt) throw new Refused('IDEMPOTENCY_MISMATCH', 'another request')
      if (named) throw new Refused('DUPLICATE_ENTRY', 'queued already', { task_id: named.id })
      const task = aTask(tasks.length + 1, { agent_slug, prompt, idempotency_key })
      tasks.unshift(task)
      return task
    }),
    requeue: mutation(taskView, (input: Command) =>
      change('requeue', input, {
        status: 'queued',
        attempts: 0,
        error_code: null,
        last_error: null,
        retry_at: null,
      }),
    ),
    cancel: mutation(taskView, (input: Command) =>
      change('cancel', input, {
        status: 'failed',
        error_code: 'canceled',
        last_error: input.reason,
        retry_at: null,
      }),
    ),
  })
  return { procedures: { tasks: room }, tasks, sent, listed }
}
