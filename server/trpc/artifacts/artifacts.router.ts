import {
  artifactDetail as artifactDetailView,
  artifactGetInput,
  artifactListInput,
  artifactPage,
  artifactStats as artifactStatsView,
} from '#contracts/artifact.contract.ts'
import { getArtifact } from '#server/artifacts/get-artifact.query.ts'
import { countArtifacts, listArtifacts } from '#server/artifacts/list-artifacts.query.ts'
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
    .query(async ({ ctx, input }) => unwrap(await getArtifact(ctx.services, input.artifact_id, ctx.caller))),
  stats: guarded('artifact.read')
    .output(artifactStatsView)
    .query(({ ctx }) => countArtifacts(ctx.services, ctx.caller)),
})
