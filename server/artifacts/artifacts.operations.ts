import { z } from 'zod'
import {
  artifactDetail as artifactDetailView,
  artifactGetInput,
  artifactListInput,
  artifactPage,
  artifactSources as artifactSourcesView,
  artifactStats as artifactStatsView,
} from '#contracts/artifact.contract.ts'
import { runArtifactFile } from '#contracts/run.contract.ts'
import { runIdInput } from '#contracts/run-commands.contract.ts'
import { operations, read } from '#server/operations/operation.ts'
import { getArtifact, getSources } from './get-artifact.query.ts'
import { countArtifacts, listArtifacts } from './list-artifacts.query.ts'
import { listRunArtifacts } from './run-artifacts.query.ts'

export const artifactOperations = operations('artifacts', {
  list: read('artifact.read', {
    summary: 'List artifacts, newest first; guests see those of their zone',
    rest: 'GET /api/v1/artifacts',
    input: artifactListInput,
    output: artifactPage,
    run: ({ services, caller }, input) => listArtifacts(services, input, caller),
  }),
  stats: read('artifact.read', {
    summary: 'Count artifacts by type',
    rest: 'GET /api/v1/artifacts/stats',
    output: artifactStatsView,
    run: ({ services, caller }) => countArtifacts(services, caller),
  }),
  get: read('artifact.read', {
    summary: 'Get an artifact with its document',
    rest: 'GET /api/v1/artifacts/{artifact_id}',
    input: artifactGetInput,
    output: artifactDetailView,
    run: ({ services, caller }, { artifact_id }) => getArtifact(services, artifact_id, caller),
  }),
  sources: read('artifact.read', {
    summary: 'What became of the cited places of an artifact: the same, moved, changed or deleted',
    rest: 'GET /api/v1/artifacts/{artifact_id}/sources',
    input: artifactGetInput,
    output: artifactSourcesView,
    run: ({ services, caller }, { artifact_id }) => getSources(services, artifact_id, caller),
  }),
  ofRun: read('run.read', {
    summary: 'List the artifacts of a run as files',
    rest: 'GET /api/v1/runs/{run_id}/artifacts',
    trpc: false,
    input: runIdInput,
    output: z.array(runArtifactFile),
    run: ({ services, caller }, { run_id }) => listRunArtifacts(services, run_id, caller),
  }),
})
