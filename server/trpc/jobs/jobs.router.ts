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
import { cancelJob } from '#server/jobs/cancel-job.ts'
import { countJobs } from '#server/jobs/counts.query.ts'
import { jobDetail } from '#server/jobs/detail.query.ts'
import { executeBulk } from '#server/jobs/execute-bulk.ts'
import { failJob } from '#server/jobs/fail-job.ts'
import { jobFailures } from '#server/jobs/failures.query.ts'
import { listJobs } from '#server/jobs/list.query.ts'
import { nlmClientOf } from '#server/jobs/nlm-client.ts'
import { previewBulk } from '#server/jobs/preview-bulk.ts'
import { requestJob } from '#server/jobs/request-job.ts'
import { requeueJob } from '#server/jobs/requeue-job.ts'
import { guarded, router } from '../trpc.ts'

export const jobsRouter = router({
  list: guarded('job.read')
    .input(jobListInput)
    .output(jobPage)
    .query(({ ctx, input }) => listJobs(ctx.services.db, input)),
  counts: guarded('job.read')
    .output(jobCounts)
    .query(({ ctx }) => countJobs(ctx.services.db)),
  get: guarded('job.read')
    .input(jobGetInput)
    .output(jobDetailView)
    .query(async ({ ctx, input }) => unwrap(await jobDetail(ctx.services.db, input.job_id))),
  failures: guarded('job.read')
    .output(jobFailuresView)
    .query(({ ctx }) => jobFailures(ctx.services.db)),
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
