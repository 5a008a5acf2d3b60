import {
  jobBulkExecuteInput,
  jobBulkPreview,
  jobBulkPreviewInput,
  jobBulkResult,
  jobCommandInput,
  jobCounts,
  jobDetail as jobDetailView,
  jobFailures as jobFailuresView,
  jobGetInput,
  jobListInput,
  jobOperated,
  jobPage,
  jobSubmitInput,
  jobSubmitted,
} from '#contracts/job.contract.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { requestJob } from '#server/inbox/request-job.ts'
import { executeBulk } from '#server/jobs/execute-bulk.ts'
import { getJob } from '#server/jobs/get-job.query.ts'
import { listFailures } from '#server/jobs/list-failures.query.ts'
import { countJobs, listJobs } from '#server/jobs/list-jobs.query.ts'
import { nlmClientOf } from '#server/jobs/nlm-client.ts'
import { cancelJob, failJob, requeueJob } from '#server/jobs/operate-job.ts'
import { previewBulk } from '#server/jobs/preview-bulk.ts'
import { guarded, router } from '../trpc.ts'

export const jobsRouter = router({
  list: guarded('job.read')
    .input(jobListInput)
    .output(jobPage)
    .query(({ ctx, input }) => listJobs(ctx.services, input)),
  counts: guarded('job.read')
    .output(jobCounts)
    .query(({ ctx }) => countJobs(ctx.services)),
  get: guarded('job.read')
    .input(jobGetInput)
    .output(jobDetailView)
    .query(async ({ ctx, input }) => unwrap(await getJob(ctx.services, input))),
  failures: guarded('job.read')
    .output(jobFailuresView)
    .query(({ ctx }) => listFailures(ctx.services)),
  submit: guarded('job.submit')
    .input(jobSubmitInput)
    .output(jobSubmitted)
    .mutation(async ({ ctx, input }) => unwrap(await requestJob(ctx.services, input, ctx.caller))),
  cancel: guarded('job.operate')
    .input(jobCommandInput)
    .output(jobOperated)
    .mutation(async ({ ctx, input }) =>
      unwrap(await cancelJob(ctx.services, input, ctx.caller, nlmClientOf(ctx.services.env))),
    ),
  fail: guarded('job.operate')
    .input(jobCommandInput)
    .output(jobOperated)
    .mutation(async ({ ctx, input }) => unwrap(await failJob(ctx.services, input, ctx.caller))),
  requeue: guarded('job.operate')
    .input(jobCommandInput)
    .output(jobOperated)
    .mutation(async ({ ctx, input }) => unwrap(await requeueJob(ctx.services, input, ctx.caller))),
  bulkPreview: guarded('job.operate')
    .input(jobBulkPreviewInput)
    .output(jobBulkPreview)
    .mutation(async ({ ctx, input }) => unwrap(await previewBulk(ctx.services, input, ctx.caller))),
  bulkExecute: guarded('job.operate')
    .input(jobBulkExecuteInput)
    .output(jobBulkResult)
    .mutation(async ({ ctx, input }) => unwrap(await executeBulk(ctx.services, input, ctx.caller))),
})
