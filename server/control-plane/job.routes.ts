/**
 * `/jobs` of the control plane: the same use-cases as the console's, for whoever has the admin key. The console's are operations with answers of
 * their own, so these are routes by hand.
 */
import { z } from 'zod'
import {
  failItemInput,
  type JobItem,
  jobItem,
  jobItemsInput,
  requeueItemInput,
} from '#contracts/control-plane.contract.ts'
import type { JobCommandInput } from '#contracts/job.contract.ts'
import { type Caller, NLM_BACKEND } from '#domain/authority/caller.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { DETAIL_FACE } from '#server/gate/detail-face.ts'
import { type HttpContext, type Route, route } from '#server/http/route.ts'
import { SIGNED_REPORT, signedMessage } from '#server/http/signed-message.ts'
import { findJobItem } from '#server/jobs/job-items.query.ts'
import { failJob, requeueJob } from '#server/jobs/operate-job.ts'
import { receiveCallback, receiveStatus } from '#server/jobs/receive-callback.ts'
import type { Db } from '#server/ledger/database.ts'
import { getSync } from '#server/membridge/list-syncs.query.ts'
import { findItem, listItems } from './job-items.query.ts'

const tag = 'Jobs'
const FAIL_REASON = 'fail through the control plane'
const REQUEUE_REASON = 'requeue through the control plane'
const SHOWN_ID = 128

const noSuch = (id: string): Result<never> =>
  refuse({ code: 'NOT_FOUND', message: `Job '${id.slice(0, SHOWN_ID)}' not found` })

type Command = (services: { db: Db }, input: JobCommandInput, caller: Caller) => Promise<Result<unknown>>

/** Moves a job and answers with it as it is then, in one transaction; a refusal commits what it recorded. */
async function operate(command: Command, ctx: HttpContext, { id, reason }: { id: string; reason: string }) {
  const job_id = id.toLowerCase()
  if (!PATTERNS.job.test(job_id)) return refuseSync(ctx, id)
  return ctx.services.db.transaction<Result<JobItem>>(async (db) => {
    const moved = await command({ db }, { job_id, reason }, ctx.caller)
    if (!moved.ok) return moved.refusal.code === 'NOT_FOUND' ? noSuch(id) : moved
    const item = await findJobItem({ db }, id, ctx.caller)
    return item ? ok(item) : noSuch(id)
  })
}

/** A sync ends by its node's report and is never run again under the same id. */
async function refuseSync({ services }: HttpContext, id: string): Promise<Result<never>> {
  const sync = await getSync(services, { id: id.toLowerCase() })
  if (!sync.ok) return noSuch(id)
  const { status, action } = sync.value
  return refuse({
    code: 'INVALID_TRANSITION',
    message: `'${sync.value.id}' is a sync, which can't be failed or requeued. Run the sync again: POST /sync/${action}.`,
    details: { from: status, allowed: [] },
  })
}

export const jobRoutes: Route[] = [
  route({
    at: 'GET /jobs',
    policy: { key: 'admin' },
    summary: 'List jobs and syncs of nodes, newest first',
    tag,
    input: jobItemsInput,
    output: z.array(jobItem),
    run: ({ services, caller }, input) => listItems(services, input, caller),
  }),
  route({
    at: 'GET /jobs/{id}',
    policy: { key: 'admin' },
    summary: 'Get a job or a sync',
    tag,
    input: z.strictObject({ id: z.string() }),
    output: jobItem,
    run: async ({ services, caller }, { id }) => {
      const item = await findItem(services, id, caller)
      return item ? ok(item) : noSuch(id)
    },
  }),
  route({
    at: 'PATCH /jobs/{id}/status',
    policy: { key: 'admin-or-callback' },
    summary: 'Mark a job as failed; or, with the callback token, report on it',
    tag,
    input: z.looseObject({ id: z.string(), status: z.unknown().optional(), reason: z.unknown().optional() }),
    output: z.union([jobItem, SIGNED_REPORT.output]),
    run: async (ctx, input) => {
      if (ctx.caller.identity === NLM_BACKEND.identity)
        return receiveStatus(ctx.services, signedMessage(input.id, ctx))
      const asked = failItemInput.safeParse(input)
      if (!asked.success)
        return refuse(DETAIL_FACE.invalidInput({ error: asked.error, place: 'body', value: input }))
      return operate(failJob, ctx, { id: input.id, reason: asked.data.reason || FAIL_REASON })
    },
  }),
  route({
    at: 'POST /jobs/{id}/requeue',
    policy: { key: 'admin' },
    summary: 'Requeue a FAILED or DEAD job',
    tag,
    input: requeueItemInput,
    output: jobItem,
    run: (ctx, { id, reason }) => operate(requeueJob, ctx, { id, reason: reason || REQUEUE_REASON }),
  }),
  route({
    at: 'POST /jobs/{id}/result',
    policy: { key: 'callback' },
    summary: 'NotebookLM Backend callback: wakes the job or reports why it failed',
    tag,
    ...SIGNED_REPORT,
    run: (ctx, { id }) => receiveCallback(ctx.services, signedMessage(id, ctx)),
  }),
]
