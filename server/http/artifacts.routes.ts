import { z } from 'zod'
import {
  artifactDetail as artifactDetailView,
  artifactGetInput,
  artifactListInput,
  artifactPage,
  artifactStats as artifactStatsView,
  artifactSubmission,
} from '#contracts/artifact.contract.ts'
import { artifactWritten, sha256Digest } from '#contracts/research.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { getArtifact } from '#server/artifacts/get-artifact.query.ts'
import { countArtifacts, listArtifacts } from '#server/artifacts/list-artifacts.query.ts'
import { receiveArtifact } from '#server/artifacts/receive-artifact.ts'
import { serveContext } from '#server/contexts/serve-context.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Artifacts'
const read = { policy: { action: 'artifact.read' }, tag, method: 'get' } as const
const signedPlace = z
  .object({ expires: z.coerce.number().int().min(0), signature: z.string().max(128) })
  .strict()

export const artifactsRoutes: AnyRoute[] = [
  route({
    ...read,
    path: '/api/v1/artifacts',
    summary: 'Artifacts, newest first; a guest sees those of the zone',
    query: artifactListInput,
    response: artifactPage,
    handle: async ({ services, query, caller }) => ok(await listArtifacts(services, query, caller)),
  }),
  route({
    ...read,
    path: '/api/v1/artifacts/stats',
    summary: 'Artifacts by type',
    response: artifactStatsView,
    handle: async ({ services, caller }) => ok(await countArtifacts(services, caller)),
  }),
  route({
    ...read,
    path: '/api/v1/artifacts/{artifact_id}',
    summary: 'One artifact with its document',
    params: artifactGetInput,
    response: artifactDetailView,
    handle: ({ services, params, caller }) => getArtifact(services, params.artifact_id, caller),
  }),
  route({
    method: 'post',
    path: '/api/v1/artifacts',
    policy: { key: 'job-write' },
    summary: 'Hand in the artifact of a job under its write token',
    tag,
    body: artifactSubmission,
    limit: 'large',
    response: artifactWritten,
    handle: async ({ services, body, bearer, answer }) => {
      const written = await receiveArtifact(services, { token: bearer ?? '', submission: body })
      if (written.ok && written.value.created) answer.status = 201
      return written
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/contexts/{name}',
    policy: { key: 'signed' },
    summary: 'A context snapshot, by its signed address',
    tag: 'Contexts',
    params: z.object({ name: z.string().regex(/^[0-9a-f]{64}\.json$/) }).strict(),
    query: signedPlace,
    response: null,
    handle: async ({ services, params, query, answer }) => {
      const sha256 = sha256Digest.parse(params.name.slice(0, 64))
      const served = await serveContext(services, { sha256, ...query })
      if (!served.ok) return served
      answer.headers.set('content-type', 'application/json')
      return new Response(Uint8Array.from(served.value), { status: 200, headers: answer.headers })
    },
  }),
]
