import {
  runCancelInput,
  runCancelled,
  runDetail as runDetailView,
  runIdInput,
  runListInput,
  runPage as runPageView,
  runRequested,
  runRequestInput,
} from '#contracts/run.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { cancelRun } from '#server/runs/cancel-run.ts'
import { getRun } from '#server/runs/get-run.query.ts'
import { listRuns } from '#server/runs/list-runs.query.ts'
import { runAgent } from '#server/runs/run-agent.ts'
import { guarded, router } from '../trpc.ts'
import { unwrap } from '../unwrap.ts'

export const runsRouter = router({
  list: guarded('run.read')
    .input(runListInput)
    .output(runPageView)
    .query(({ ctx, input }) => listRuns(ctx.services, input)),
  get: guarded('run.read')
    .input(runIdInput)
    .output(runDetailView)
    .query(async ({ ctx, input }) => {
      const run = await getRun(ctx.services, input.run_id)
      if (!run) throw new Refused('NOT_FOUND', 'There is no such run.')
      return run
    }),
  request: guarded('run.request')
    .input(runRequestInput)
    .output(runRequested)
    .mutation(async ({ ctx, input }) => unwrap(await runAgent(ctx.services, input, ctx.caller))),
  cancel: guarded('run.cancel')
    .input(runCancelInput)
    .output(runCancelled)
    .mutation(async ({ ctx, input }) => unwrap(await cancelRun(ctx.services, input, ctx.caller))),
})
