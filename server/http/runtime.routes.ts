/** `/api/runtime` [runtime#wire]: what existing nodes and clients of BLOOM Runtime call, and what those call that fetch their work. */
import { z } from 'zod'
import {
  completionRequest,
  grantedLease,
  heartbeatRequest,
  idempotencyHeader,
  leaseRequest,
  leaseView,
  taskCommand,
  taskDetail,
  taskRequest,
  taskResult,
  taskView,
  workerDetail,
  workerRegistration,
  workerView,
} from '#contracts/llm-task.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { taskLeaseMachine } from '#domain/task/task-lease.machine.ts'
import { beatTask } from '#server/runtime/beat-task.ts'
import { completeTask } from '#server/runtime/complete-task.ts'
import { createTask } from '#server/runtime/create-task.ts'
import { dispatchTask, executionOf, runtimeUrlOf } from '#server/runtime/dispatch-task.ts'
import { actingWorker, fetchTask } from '#server/runtime/fetch-task.ts'
import { LEASE_HEADER } from '#server/runtime/identify-runtime-caller.ts'
import { leaseTask, NO_TASK } from '#server/runtime/lease-task.ts'
import { drainWorker, NO_WORKER, removeWorker } from '#server/runtime/manage-worker.ts'
import { cancelTask, requeueTask } from '#server/runtime/operate-task.ts'
import { findWorker, registerWorker } from '#server/runtime/register-worker.ts'
import {
  getTask,
  getWorker,
  listLeases,
  listRecords,
  listResults,
  listTasks,
  listWorkers,
  runtimeStats,
} from '#server/runtime/runtime-lists.query.ts'
import type { Shown } from '#server/runtime/show-lease.ts'
import { type HttpContext, type Route, route } from './route.ts'

const tag = 'Runtime'
const BASE = '/api/runtime'
const STARTED = performance.now()
const NO_REASON = 'no reason given'
/** Until an address of the surface is called by something that is no id, it names nothing. */
const isId = (id: string): boolean => z.uuid().safeParse(id).success

const reads = { action: 'task.read', orKey: 'runtime' } as const
const limitOf = (byDefault: number) => z.coerce.number().int().min(1).max(200).default(byDefault)
const idRef = z.object({ id: z.string() })

/** What the caller shows of a lease: below its prefix, in a header, in the body, or nothing. */
function shownIn(
  { request, address }: HttpContext,
  body: { lease_id?: string | null | undefined; fence?: number | null | undefined },
): Shown {
  return { token: request.headers.get(LEASE_HEADER), leaseId: body.lease_id, fence: body.fence, address }
}

const tasks: Route[] = [
  route({
    ...{ at: `POST ${BASE}/llm-tasks`, tag, summary: 'Create an LLM Task', status: 201, bodyLimit: 'prompt' },
    policy: { action: 'task.submit', orKey: 'runtime' },
    input: taskRequest,
    output: taskView,
    run: async ({ services, caller, request }, input) => {
      const header = request.headers.get('idempotency-key')
      const key = header === null ? input.idempotency_key : idempotencyHeader.safeParse(header).data
      if (header !== null && key === undefined) return refuse(BAD_KEY)
      const given = key === undefined ? input : { ...input, idempotency_key: key }
      const made = await services.db.transaction((tx) => createTask(tx, given, caller))
      if (!made.ok) return made
      if (made.value.created) return ok(made.value.task)
      return Response.json(made.value.task, { status: 200 })
    },
  }),
  route({
    ...{ at: `GET ${BASE}/llm-tasks`, tag, summary: 'List LLM Tasks, newest first', policy: reads },
    input: z.object({
      status: z.enum(taskMachine.states).optional(),
      agent: z.string().max(64).optional(),
      context_id: z.string().max(256).optional(),
      cursor: z.string().max(256).optional(),
      limit: limitOf(100),
    }),
    output: z.array(taskView),
    run: async ({ services, headers }, filter) => {
      const { items, next_cursor } = await listTasks(services.db, filter)
      if (next_cursor) headers.set('x-next-cursor', next_cursor)
      return items
    },
  }),
  route({
    ...{ at: `GET ${BASE}/llm-tasks/{id}`, tag, summary: 'Get an LLM Task with its leases', policy: reads },
    input: idRef,
    output: taskDetail,
    run: async ({ services }, { id }) => (isId(id) ? ((await getTask(services.db, id)) ?? NO_TASK) : NO_TASK),
  }),
  route({
    ...{ at: `POST ${BASE}/llm-tasks/{id}/lease`, tag, summary: 'Lease a task to a worker', status: 201 },
    policy: { action: 'task.lease', orKey: 'runtime' },
    input: leaseRequest,
    output: z.object({ lease: grantedLease, worker: workerView }),
    run: async ({ services, caller }, { id, worker_id, ttl_seconds }) => {
      if (!isId(id)) return NO_TASK
      const acting = await actingWorker(services.db, caller, worker_id)
      if (!acting.ok) return acting
      const asked = { taskId: id, workerId: acting.value, ttlSeconds: ttl_seconds }
      const granted = await leaseTask(services.db, asked, caller)
      if (!granted.ok) return granted
      const { lease, token, workerId } = granted.value
      const worker = await findWorker(services.db, workerId)
      return worker ? ok({ lease: { ...lease, token }, worker }) : NO_WORKER
    },
  }),
  route({
    ...{ at: `POST ${BASE}/llm-tasks/{id}/dispatch`, tag, summary: 'Lease a task and call the worker' },
    policy: { action: 'task.operate', orKey: 'runtime' },
    input: z.object({ id: z.string(), worker_id: z.uuid().nullish() }),
    output: z.unknown(),
    run: ({ services, caller }, { id, worker_id }) =>
      isId(id)
        ? dispatchTask(services, { taskId: id, workerId: worker_id }, caller)
        : Promise.resolve(NO_TASK),
  }),
  route({
    ...{ at: `POST ${BASE}/llm-tasks/{id}/heartbeat`, tag, summary: 'Renew the lease of a task' },
    policy: { action: 'task.report', orKey: 'runtime', uncounted: 'with-key' },
    input: heartbeatRequest,
    output: z.object({ lease: leaseView, expires_at: z.number() }),
    run: (ctx, { id, progress, ...shown }) =>
      isId(id)
        ? beatTask(ctx.services, { taskId: id, shown: shownIn(ctx, shown), progress }, ctx.caller)
        : Promise.resolve(NO_TASK),
  }),
  route({
    ...{
      at: `POST ${BASE}/llm-tasks/{id}/complete`,
      tag,
      summary: 'Report how a task ended',
      bodyLimit: 'report',
    },
    policy: { action: 'task.report', orKey: 'runtime', uncounted: 'with-key' },
    input: completionRequest,
    output: z.object({ task: taskView, artifact: z.unknown(), result: taskResult }),
    run: (ctx, report) =>
      isId(report.id)
        ? completeTask(ctx.services, { taskId: report.id, shown: shownIn(ctx, report), report }, ctx.caller)
        : Promise.resolve(NO_TASK),
  }),
  route({
    ...{ at: `POST ${BASE}/llm-tasks/{id}/requeue`, tag, summary: 'Requeue a failed or dead task' },
    policy: { action: 'task.operate', orKey: 'runtime' },
    input: taskCommand,
    output: taskView,
    run: ({ services, caller }, { id, reason }) =>
      isId(id)
        ? requeueTask(services.db, { taskId: id, reason: reason ?? NO_REASON }, caller)
        : Promise.resolve(NO_TASK),
  }),
  route({
    ...{ at: `POST ${BASE}/llm-tasks/{id}/cancel`, tag, summary: 'Cancel a task' },
    policy: { action: 'task.operate', orKey: 'runtime' },
    input: taskCommand,
    output: taskView,
    run: ({ services, caller }, { id, reason }) =>
      isId(id)
        ? cancelTask(services.db, { taskId: id, reason: reason ?? NO_REASON }, caller)
        : Promise.resolve(NO_TASK),
  }),
]

const BAD_KEY: Refusal = { code: 'BAD_REQUEST', message: 'Idempotency-Key has 1 to 128 characters.' }

const workers: Route[] = [
  route({
    ...{ at: `GET ${BASE}/workers`, tag, summary: 'List workers' },
    policy: { action: 'worker.read', orKey: 'runtime' },
    output: z.array(workerView),
    run: ({ services }) => listWorkers(services.db),
  }),
  route({
    ...{ at: `GET ${BASE}/workers/{id}`, tag, summary: 'Get a worker with its leases' },
    policy: { action: 'worker.read', orKey: 'runtime' },
    input: idRef,
    output: workerDetail,
    run: async ({ services }, { id }) =>
      isId(id) ? ((await getWorker(services.db, id)) ?? NO_WORKER) : NO_WORKER,
  }),
  route({
    ...{
      at: `POST ${BASE}/workers`,
      tag,
      summary: 'Register a worker, or say that it is there',
      status: 201,
    },
    policy: { action: 'worker.register', orKey: 'runtime' },
    input: workerRegistration,
    output: workerView,
    run: async ({ services, caller }, given) => {
      if (caller.role === 'node' && caller.identity !== `node:${given.name}`)
        return refuse({ code: 'FORBIDDEN', message: 'This key belongs to another worker.' })
      const { worker, created } = await registerWorker(services.db, given, caller)
      return created ? ok(worker) : Response.json(worker, { status: 200 })
    },
  }),
  route({
    ...{ at: `POST ${BASE}/workers/{id}/drain`, tag, summary: 'Drain a worker, or resume it' },
    policy: { action: 'worker.operate', orKey: 'runtime' },
    input: z.object({ id: z.string(), drain: z.boolean(), reason: z.string().trim().min(1).max(500) }),
    output: workerView,
    run: ({ services, caller }, { id, drain, reason }) =>
      isId(id)
        ? drainWorker(services.db, { workerId: id, drain, reason }, caller)
        : Promise.resolve(NO_WORKER),
  }),
  route({
    ...{ at: `DELETE ${BASE}/workers/{id}`, tag, summary: 'Remove a worker' },
    policy: { action: 'worker.remove', orKey: 'runtime', stepUp: true },
    input: idRef,
    output: z.object({ removed: z.literal(true), id: z.string() }),
    run: ({ services, caller, request }, { id }) => {
      const force = new URL(request.url).searchParams.has('force')
      return isId(id)
        ? removeWorker(services.db, { workerId: id, reason: NO_REASON, force }, caller)
        : Promise.resolve(NO_WORKER)
    },
  }),
]

const lists: Route[] = [
  route({
    ...{ at: `GET ${BASE}/leases`, tag, summary: 'List leases, newest first', policy: reads },
    input: z.object({ status: z.enum(taskLeaseMachine.states).optional(), limit: limitOf(100) }),
    output: z.array(leaseView),
    run: ({ services }, filter) => listLeases(services.db, filter),
  }),
  route({
    ...{ at: `GET ${BASE}/runs`, tag, summary: 'List the last tasks', policy: reads },
    input: z.object({ limit: limitOf(50) }),
    output: z.array(taskView),
    run: async ({ services }, { limit }) => (await listTasks(services.db, { limit })).items,
  }),
  route({
    ...{ at: `GET ${BASE}/artifacts`, tag, summary: 'List what workers answered', policy: reads },
    input: z.object({ task_id: z.uuid().optional(), limit: limitOf(100) }),
    output: z.array(z.unknown()),
    run: ({ services }, filter) => listResults(services.db, filter),
  }),
  route({
    ...{ at: `GET ${BASE}/audit`, tag, summary: 'List what was recorded', policy: reads },
    input: z.object({ limit: limitOf(100) }),
    output: z.array(z.unknown()),
    run: ({ services }, { limit }) => listRecords(services.db, limit),
  }),
  route({
    ...{ at: `GET ${BASE}/stats`, tag, summary: 'Count tasks, leases and workers', policy: reads },
    output: z.unknown(),
    run: ({ services }) => runtimeStats(services.db, taskMachine.states),
  }),
  route({
    ...{ at: `GET ${BASE}/health`, tag, summary: 'Say whether the runtime is up' },
    policy: { open: 'tells whether it answers, as a load balancer asks', uncounted: true },
    output: z.object({ status: z.string(), service: z.string(), uptime: z.number(), storage: z.string() }),
    run: async ({ services }) => {
      const up = await services.database.pool.query('SELECT 1').then(
        () => true,
        () => false,
      )
      if (!up) return refuse({ code: 'STORAGE_UNAVAILABLE', message: 'The database does not answer.' })
      const uptime = Math.round((performance.now() - STARTED) / 1_000)
      return ok({ status: 'ok', service: 'bloom-runtime', uptime, storage: 'postgresql' })
    },
  }),
]

/** For nodes without an address: the next task is held out for up to 30 s. */
const fetching: Route[] = [
  route({
    ...{ at: 'POST /api/jobs/lease', tag, summary: 'Fetch the next task for a worker' },
    policy: { action: 'task.lease', orKey: 'runtime' },
    input: z.object({
      worker_id: z.uuid().nullish(),
      wait_ms: z.number().int().min(0).max(30_000).default(0),
    }),
    output: z.unknown(),
    run: async ({ services, caller, request }, { worker_id, wait_ms }) => {
      const acting = await actingWorker(services.db, caller, worker_id)
      if (!acting.ok) return acting
      if (acting.value === null)
        return refuse({ code: 'BAD_REQUEST', message: 'Say which worker asks: worker_id.' })
      const asked = { workerId: acting.value, waitMs: wait_ms, signal: request.signal }
      const fetched = await fetchTask(services, asked, caller)
      if (!fetched.ok) return fetched
      if (!fetched.value) return new Response(null, { status: 204 })
      const { task, granted } = fetched.value
      const { lease, token } = granted
      return ok({
        job: executionOf(task, runtimeUrlOf(services.env, token)),
        ...{
          leaseId: lease.id,
          leaseUntil: lease.expires_at,
          leaseSeconds: (lease.expires_at - lease.started_at) / 1_000,
          fence: lease.fence,
          token,
        },
        ...{ idempotencyKey: `${task.task_id}:${lease.fence}`, heartbeat_seconds: 10, canary: false },
        retryHints: {
          attempt: task.attempts,
          maxAttempts: task.max_attempts,
          backoffSeconds: task.retry_policy.base_delay_sec,
          lastError: task.last_error,
        },
        provenance: { tenant: task.tenant, project: task.context_id, correlationId: task.run_id },
      })
    },
  }),
  route({
    ...{ at: 'POST /api/jobs/{id}/lease/renew', tag, summary: 'Renew the lease of a fetched task' },
    policy: { action: 'task.report', orKey: 'runtime', uncounted: 'with-key' },
    input: z.object({
      id: z.string(),
      leaseId: z.uuid(),
      fence: z.number().int().min(0),
      progress: heartbeatRequest.shape.progress,
    }),
    output: z.object({ leaseUntil: z.number(), leaseSeconds: z.number() }),
    run: async (ctx, { id, leaseId, fence, progress }) => {
      if (!isId(id)) return NO_TASK
      const shown = shownIn(ctx, { lease_id: leaseId, fence })
      const beat = await beatTask(ctx.services, { taskId: id, shown, progress }, ctx.caller)
      if (!beat.ok) return beat
      const { lease, expires_at } = beat.value
      return ok({
        leaseUntil: expires_at,
        leaseSeconds: (expires_at - (lease.last_heartbeat ?? lease.started_at)) / 1_000,
      })
    },
  }),
  route({
    ...{
      at: 'POST /api/jobs/{id}/lease/complete',
      tag,
      summary: 'Report how a fetched task ended',
      bodyLimit: 'report',
    },
    policy: { action: 'task.report', orKey: 'runtime', uncounted: 'with-key' },
    input: z.looseObject({
      id: z.string(),
      leaseId: z.uuid(),
      fence: z.number().int().min(0),
      status: z.enum(['succeeded', 'failed', 'canceled', 'timed_out']),
    }),
    output: z.object({ task: taskView, artifact: z.unknown(), result: taskResult }),
    run: async (ctx, { leaseId, fence, status, ...body }) => {
      if (!isId(body.id)) return NO_TASK
      const report = completionRequest.safeParse({
        ...FAILED_AS[status],
        ...body,
        lease_id: leaseId,
        fence,
        ...ENDED_AS[status],
      })
      if (!report.success) return refuse(MISFIT(report.error))
      const shown = shownIn(ctx, report.data)
      return completeTask(ctx.services, { taskId: body.id, shown, report: report.data }, ctx.caller)
    },
  }),
]

/** How the four ends of that call are said on the other one. */
const ENDED_AS = {
  succeeded: { status: 'success' },
  failed: { status: 'error' },
  canceled: { status: 'error' },
  timed_out: { status: 'error', error_code: 'timeout' },
} as const
const FAILED_AS = {
  succeeded: {},
  failed: {},
  canceled: { error_message: 'The node gave the task up.' },
  timed_out: { error_message: 'timeout exceeded' },
} as const
const MISFIT = (error: z.core.$ZodError): Refusal => {
  const { formErrors, fieldErrors } = z.flattenError(error)
  return { code: 'BAD_REQUEST', message: 'Some fields are not valid.', details: { formErrors, fieldErrors } }
}

export const runtimeRoutes: readonly Route[] = [...tasks, ...workers, ...lists, ...fetching]
