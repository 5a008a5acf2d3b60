import * as job from '#contracts/job.contract.ts'
import * as failures from '#contracts/job-failures.contract.ts'
import * as rates from '#contracts/job-rates.contract.ts'
import { requestJob } from '#server/inbox/request-job.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { executeBulk } from './execute-bulk.ts'
import { getJob } from './get-job.query.ts'
import { jobRates } from './job-rates.query.ts'
import { listFailures } from './list-failures.query.ts'
import { countJobs, listJobs } from './list-jobs.query.ts'
import { foreignCallback, nlmClientOf } from './nlm-client.ts'
import { cancelJob, failJob, requeueJob } from './operate-job.ts'
import { previewBulk } from './preview-bulk.ts'
import { replayJob } from './replay-job.ts'
import { resolveFailures } from './resolve-failures.ts'

const command = { input: job.jobCommandInput, output: job.jobOperated }

export const jobOperations = operations('jobs', {
  list: read('job.read', {
    summary: 'List jobs, newest first',
    rest: 'GET /api/v1/jobs',
    input: job.jobListInput,
    output: job.jobPage,
    run: ({ services, caller }, input) => listJobs(services, input, caller),
  }),
  counts: read('job.read', {
    summary: 'Count jobs by state',
    rest: 'GET /api/v1/jobs/counts',
    output: job.jobCounts,
    run: ({ services, caller }) => countJobs(services, caller),
  }),
  rates: read('job.read', {
    summary: 'Count the jobs that entered and left each state in the last hour',
    rest: 'GET /api/v1/jobs/rates',
    output: rates.jobRates,
    run: ({ services }) => jobRates(services),
  }),
  failures: read('job.read', {
    summary: 'Group FAILED and DEAD jobs by error',
    rest: 'GET /api/v1/jobs/failures',
    input: failures.jobFailuresInput,
    output: failures.jobFailures,
    run: ({ services, caller }, input) => listFailures(services, input, caller),
  }),
  resolveFailures: write('job.operate', {
    summary: 'Resolve a group of failures',
    rest: 'POST /api/v1/jobs/failures/resolve',
    input: failures.jobResolveInput,
    output: failures.jobResolved,
    run: ({ services, caller }, input) => resolveFailures(services, input, caller),
  }),
  get: read('job.read', {
    summary: 'Get a job with its attempts and history',
    rest: 'GET /api/v1/jobs/{job_id}',
    input: job.jobGetInput,
    output: job.jobDetail,
    run: ({ services, caller }, input) => getJob(services, input, caller),
  }),
  submit: write('job.submit', {
    summary: 'Request a job through the Inbox',
    rest: 'POST /api/v1/jobs',
    status: 202,
    input: job.jobSubmitInput,
    output: job.jobSubmitted,
    run: async ({ services, caller }, input) =>
      foreignCallback(services.env, input) ?? requestJob(services, input, caller),
  }),
  cancel: write('job.operate', {
    summary: 'Cancel a job',
    rest: 'POST /api/v1/jobs/{job_id}/cancel',
    ...command,
    // The NotebookLM Backend is asked to stop after the commit.
    transaction: 'own',
    run: ({ services, caller }, input) => cancelJob(services, input, caller, nlmClientOf(services.env)),
  }),
  fail: write('job.operate', {
    summary: 'Mark a job as failed',
    rest: 'POST /api/v1/jobs/{job_id}/fail',
    ...command,
    run: ({ services, caller }, input) => failJob(services, input, caller),
  }),
  requeue: write('job.operate', {
    summary: 'Requeue a FAILED or DEAD job',
    rest: 'POST /api/v1/jobs/{job_id}/requeue',
    ...command,
    run: ({ services, caller }, input) => requeueJob(services, input, caller),
  }),
  replay: write('job.operate', {
    summary: 'Replay an ended job as a new one',
    rest: 'POST /api/v1/jobs/{job_id}/replay',
    status: 201,
    input: job.jobReplayInput,
    output: job.jobReplayed,
    run: ({ services, caller }, input) => replayJob(services, input, caller),
  }),
  bulkPreview: write('job.operate', {
    summary: 'Preview a bulk command and freeze its jobs',
    rest: 'POST /api/v1/jobs/bulk/preview',
    input: job.jobBulkPreviewInput,
    output: job.jobBulkPreview,
    // Reads over Prisma Client, on connections of its own, and writes one row: a transaction around it would hold two connections.
    transaction: 'own',
    run: ({ services, caller }, input) => previewBulk(services, input, caller),
  }),
  bulkExecute: write('job.operate', {
    summary: 'Run a previewed bulk command',
    rest: 'POST /api/v1/jobs/bulk/execute',
    input: job.jobBulkExecuteInput,
    output: job.jobBulkResult,
    // The NotebookLM Backend is asked to stop after the commit.
    transaction: 'own',
    run: ({ services, caller }, input) => executeBulk(services, input, caller, nlmClientOf(services.env)),
  }),
})
