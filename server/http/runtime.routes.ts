/** `/api/runtime` [runtime#wire]: the tasks and workers that existing nodes and clients of BLOOM Runtime call. */
import { z } from 'zod'
import {
  grantedLease,
  idempotencyHeader,
  leaseRequest,
  leaseView,
  taskCommand,
  taskDetail,
  taskRequest,
  taskView,
} from '#contracts/llm-task.contract.ts'
import { completionRequest, heartbeatRequest, taskResult } from '#contracts/task-report.contract.ts'
import { workerDetail, workerRegistration, workerView } from '#contracts/worker.contract.ts'
import { type Caller, nodeOf } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { beatTask } from '#server/runtime/beat-task.ts'
import { completeTask } from '#server/runtime/complete-task.ts'
import { createTask } from '#server/runtime/create-task.ts'
import { dispatchTask } from '#server/runtime/dispatch-task.ts'
import { actingWorker } from '#server/runtime/fetch-task.ts'
import { leaseTask } from '#server/runtime/lease-task.ts'
import { drainWorker, NO_WORKER, removeWorker } from '#server/runtime/manage-worker.ts'
import { cancelTask, requeueTask } from '#server/runtime/operate-task.ts'
import { findWorker, registerWorker } from '#server/runtime/register-worker.ts'
import { getTask, getWorker, listTasks, listWorkers } from '#server/runtime/runtime-lists.query.ts'
import { NO_TASK } from '#server/runtime/seen-task.ts'
import { fetchedTaskRoutes } from './fetched-task.routes.ts'
import { type Route, route } from './route.ts'
import { runtimeListRoutes } from './runtime-lists.routes.ts'
import { isId, limitOf, shownIn } from './runtime-request.ts'
import { runtimeSettingsRoutes } from './runtime-settings.routes.ts'

const tag = 'Runtime'
const BASE = '/api/runtime'
const NO_REASON = 'no reason given'
const reads = { action: 'task.read', orKey: 'runtime' } as const
const idRef = z.object({ id: z.string() })

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

/** A node under its own key registers itself alone. */
const isOfAnother = (caller: Caller, name: string): boolean => ![null, name].includes(nodeOf(caller))

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
      if (isOfAnother(caller, given.name))
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

export const runtimeRoutes: readonly Route[] = [
  ...tasks,
  ...workers,
  ...runtimeListRoutes,
  ...fetchedTaskRoutes,
  ...runtimeSettingsRoutes,
]
