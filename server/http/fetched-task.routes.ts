/** For nodes without an address [runtime#wire]: they fetch the next task, held out for up to 30 s, and report on it under its lease. */
import { z } from 'zod'
import { taskView } from '#contracts/llm-task.contract.ts'
import { completionRequest, heartbeatRequest, taskResult } from '#contracts/task-report.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { beatTask } from '#server/runtime/beat-task.ts'
import { completeTask } from '#server/runtime/complete-task.ts'
import { actingWorker, fetchTask } from '#server/runtime/fetch-task.ts'
import { NO_TASK } from '#server/runtime/seen-task.ts'
import { executionFor } from '#server/runtime/send-task.ts'
import { type Route, route } from './route.ts'
import { isId, shownIn } from './runtime-request.ts'

const tag = 'Runtime'

export const fetchedTaskRoutes: readonly Route[] = [
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
        job: await executionFor(services, task, granted),
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
