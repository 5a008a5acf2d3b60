import { z } from 'zod'
import {
  runArtifactRef,
  runCancelInput,
  runCancelled,
  runDetail as runDetailView,
  runIdInput,
  runListInput,
  runPage as runPageView,
  runRequested,
  runRequestInput,
  runStepInput,
  runStepView,
} from '#contracts/run.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { cancelRun } from '#server/runs/cancel-run.ts'
import { getRun } from '#server/runs/get-run.query.ts'
import { getRunObject } from '#server/runs/get-run-object.query.ts'
import { listRuns } from '#server/runs/list-runs.query.ts'
import { runAgent } from '#server/runs/run-agent.ts'
import { type AnyRoute, type Call, route } from './route.ts'

const tag = 'Runs'
const read = { policy: { action: 'run.read' }, tag, method: 'get' } as const
const start = { policy: { action: 'run.request' }, tag, method: 'post', status: 202 } as const
const at = (rest = '') => `/api/v1/runs/{run_id}${rest}`
const storedObject = z.record(z.string(), z.unknown())

/** The request's own token, or its `Idempotency-Key`: either makes a repeat give the same run. */
function startRun(
  {
    services,
    caller,
    idempotencyKey,
  }: Pick<Call<never, never, never>, 'services' | 'caller' | 'idempotencyKey'>,
  body: z.infer<typeof runRequestInput>,
) {
  const key = body.correlation_id ?? idempotencyKey
  return runAgent(services, { ...body, ...(key ? { correlation_id: key } : {}) }, caller as Caller)
}

async function detailOf(services: Services, runId: string): Promise<Result<z.infer<typeof runDetailView>>> {
  const run = await getRun(services, runId)
  return run ? ok(run) : refuse({ code: 'NOT_FOUND', message: 'There is no such run.' })
}

export const runsRoutes: AnyRoute[] = [
  route({
    ...start,
    path: '/api/v1/agents/{slug}/run',
    summary: 'Run an agent: an Inbox Entry and the run it becomes',
    params: runRequestInput.pick({ slug: true }),
    body: runRequestInput.omit({ slug: true }),
    response: runRequested,
    handle: (call) => startRun(call, { ...call.body, slug: call.params.slug }),
  }),
  route({
    ...start,
    path: '/api/v1/agents/run',
    summary: 'Run an agent; the same with the slug in the body',
    body: runRequestInput,
    response: runRequested,
    handle: (call) => startRun(call, call.body),
  }),
  route({
    ...read,
    path: '/api/v1/runs',
    summary: 'Runs, newest first',
    query: runListInput,
    response: runPageView,
    handle: async ({ services, query }) => ok(await listRuns(services, query)),
  }),
  route({
    ...read,
    path: at(),
    summary: 'One run with its phases, steps, calls and results',
    params: runIdInput,
    response: runDetailView,
    handle: ({ services, params }) => detailOf(services, params.run_id),
  }),
  route({
    ...read,
    path: at('/status'),
    summary: 'status.json as the store has it; 503 while the store does not answer',
    params: runIdInput,
    response: storedObject,
    handle: async ({ services, params, request, answer }) => {
      const found = await getRunObject(services, { ...params, object: 'status' })
      if (!found.ok) return found
      const etag = `"${found.value.etag}"`
      if (request.headers.get('if-none-match') === etag)
        return new Response(null, { status: 304, headers: { etag } })
      answer.headers.set('etag', etag)
      return ok(found.value.value)
    },
  }),
  route({
    ...read,
    path: at('/steps'),
    summary: 'The four steps of a run, those without an object too',
    params: runIdInput,
    response: z.array(runStepView),
    handle: async ({ services, params }) => {
      const run = await detailOf(services, params.run_id)
      return run.ok ? ok(run.value.steps) : run
    },
  }),
  route({
    ...read,
    path: at('/steps/{step}'),
    summary: 'The stored object of one step',
    params: runStepInput,
    response: storedObject,
    handle: async ({ services, params }) => {
      const found = await getRunObject(services, { run_id: params.run_id, object: params.step })
      return found.ok ? ok(found.value.value) : found
    },
  }),
  route({
    ...read,
    path: at('/artifacts'),
    summary: 'Artifacts of a run',
    params: runIdInput,
    response: z.array(runArtifactRef),
    handle: async ({ services, params }) => {
      const run = await detailOf(services, params.run_id)
      return run.ok ? ok(run.value.artifact_list) : run
    },
  }),
  route({
    method: 'post',
    path: at('/cancel'),
    policy: { action: 'run.cancel' },
    summary: 'Cancel a run that has not begun to persist its results',
    tag,
    params: runIdInput,
    body: runCancelInput.omit({ run_id: true }),
    response: runCancelled,
    handle: ({ services, params, body, caller }) => cancelRun(services, { ...params, ...body }, caller),
  }),
]
