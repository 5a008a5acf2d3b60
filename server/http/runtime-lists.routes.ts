/** What can be listed and counted of BLOOM Runtime besides tasks and workers themselves [runtime#wire]. */
import { z } from 'zod'
import { leaseView, taskView } from '#contracts/llm-task.contract.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { taskLeaseMachine } from '#domain/task/task-lease.machine.ts'
import { listLeases, listResults, listTasks, runtimeStats } from '#server/runtime/runtime-lists.query.ts'
import { listRecords } from '#server/runtime/runtime-records.query.ts'
import { type Route, route } from './route.ts'
import { limitOf } from './runtime-request.ts'

const tag = 'Runtime'
const BASE = '/api/runtime'
const reads = { action: 'task.read', orKey: 'runtime' } as const

export const runtimeListRoutes: readonly Route[] = [
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
]
