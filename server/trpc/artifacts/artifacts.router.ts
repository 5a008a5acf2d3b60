import {
  artifactDetail as artifactDetailView,
  artifactGetInput,
  artifactListInput,
  artifactPage,
  artifactStats as artifactStatsView,
} from '#contracts/artifact.contract.ts'
import { artifactDetail } from '#server/artifacts/detail.query.ts'
import { listArtifacts } from '#server/artifacts/list.query.ts'
import { artifactStats } from '#server/artifacts/stats.query.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { guarded, router } from '../trpc.ts'

export const artifactsRouter = router({
  list: guarded('artifact.read')
    .input(artifactListInput)
    .output(artifactPage)
    .query(({ ctx, input }) => listArtifacts(ctx.services, input, ctx.caller)),
  get: guarded('artifact.read')
    .input(artifactGetInput)
    .output(artifactDetailView)
    .query(async ({ ctx, input }) =>
      unwrap(await artifactDetail(ctx.services, input.artifact_id, ctx.caller)),
    ),
  stats: guarded('artifact.read')
    .output(artifactStatsView)
    .query(({ ctx }) => artifactStats(ctx.services, ctx.caller)),
})
