import { z } from 'zod'
import {
  jobBulkExecuteInput,
  jobBulkPreview,
  jobBulkPreviewInput,
  jobBulkResult,
  jobCounts,
  jobDetail as jobDetailView,
  jobFailures as jobFailuresView,
  jobGetInput,
  jobId,
  jobListInput,
  jobOperated,
  jobPage,
  jobReasonBody,
  jobSubmitInput,
  jobSubmitted,
} from '#contracts/job.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { requestJob } from '#server/inbox/request-job.ts'
import { executeBulk } from '#server/jobs/execute-bulk.ts'
import { getJob } from '#server/jobs/get-job.query.ts'
import { listFailures } from '#server/jobs/list-failures.query.ts'
import { countJobs, listJobs } from '#server/jobs/list-jobs.query.ts'
import { nlmClientOf } from '#server/jobs/nlm-client.ts'
import { cancelJob, failJob, requeueJob } from '#server/jobs/operate-job.ts'
import { previewBulk } from '#server/jobs/preview-bulk.ts'
import { receiveCallback } from '#server/jobs/receive-callback.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Jobs'
const read = { policy: { action: 'job.read' }, tag, method: 'get' } as const
const operate = { policy: { action: 'job.operate' }, tag, method: 'post' } as const
const byId = { params: jobGetInput, body: jobReasonBody, response: jobOperated } as const

export const jobsRoutes: AnyRoute[] = [
  route({
    ...read,
    path: '/api/v1/jobs',
    summary: 'Jobs, newest first',
    query: jobListInput,
    response: jobPage,
    handle: async ({ services, query }) => ok(await listJobs(services, query)),
  }),
  route({
    ...read,
    path: '/api/v1/jobs/counts',
    summary: 'Jobs by state',
    response: jobCounts,
    handle: async ({ services }) => ok(await countJobs(services)),
  }),
  route({
    ...read,
    path: '/api/v1/jobs/failures',
    summary: 'FAILED and DEAD jobs by how they ended',
    response: jobFailuresView,
    handle: async ({ services }) => ok(await listFailures(services)),
  }),
  route({
    ...read,
    path: '/api/v1/jobs/{job_id}',
    summary: 'One job with its tries and history',
    params: jobGetInput,
    response: jobDetailView,
    handle: ({ services, params }) => getJob(services, params),
  }),
  route({
    method: 'post',
    path: '/api/v1/jobs',
    policy: { action: 'job.submit' },
    summary: 'Ask for a job, through the Inbox',
    tag,
    body: jobSubmitInput,
    response: jobSubmitted,
    status: 202,
    handle: ({ services, body, caller }) => requestJob(services, body, caller),
  }),
  route({
    ...operate,
    ...byId,
    path: '/api/v1/jobs/{job_id}/cancel',
    summary: 'End a job as cancelled',
    handle: ({ services, params, body, caller }) =>
      cancelJob(services, { ...params, ...body }, caller, nlmClientOf(services.env)),
  }),
  route({
    ...operate,
    ...byId,
    path: '/api/v1/jobs/{job_id}/fail',
    summary: 'End a job as failed by an operator',
    handle: ({ services, params, body, caller }) => failJob(services, { ...params, ...body }, caller),
  }),
  route({
    ...operate,
    ...byId,
    path: '/api/v1/jobs/{job_id}/requeue',
    summary: 'Put a FAILED or DEAD job back into the queue',
    handle: ({ services, params, body, caller }) => requeueJob(services, { ...params, ...body }, caller),
  }),
  route({
    ...operate,
    path: '/api/v1/jobs/bulk/preview',
    summary: 'Freeze the set of a bulk command and show it',
    body: jobBulkPreviewInput,
    response: jobBulkPreview,
    handle: ({ services, body, caller }) => previewBulk(services, body, caller),
  }),
  route({
    ...operate,
    path: '/api/v1/jobs/bulk/execute',
    summary: 'Carry out a previewed bulk command',
    body: jobBulkExecuteInput,
    response: jobBulkResult,
    handle: ({ services, body, caller }) => executeBulk(services, body, caller),
  }),
  route({
    method: 'post',
    path: '/api/v1/jobs/{id}/result',
    policy: { key: 'callback' },
    summary: 'Callback of the NotebookLM Backend: wakes, decides nothing',
    tag,
    params: z.object({ id: jobId }).strict(),
    // Checked by the use-case, after the signature over its exact bytes.
    body: z.record(z.string(), z.unknown()),
    response: z.object({ received: z.literal(true) }),
    handle: ({ services, params, request, bytes }) =>
      receiveCallback(services, {
        jobId: params.id,
        headers: Object.fromEntries(request.headers),
        body: Buffer.from(bytes),
      }),
  }),
]
