import { z } from 'zod'
import { artifactSubmission } from '#contracts/artifact.contract.ts'
import { artifactWritten, sha256Digest } from '#contracts/research.contract.ts'
import { receiveArtifact } from '#server/artifacts/receive-artifact.ts'
import { serveContext } from '#server/contexts/serve-context.ts'
import { receiveCallback, receiveStatus } from '#server/jobs/receive-callback.ts'
import { databaseNow } from '#server/ledger/clock-skew.ts'
import { type Route, route } from './route.ts'
import { SIGNED_REPORT, signedMessage } from './signed-message.ts'

/** What the product's own components call, each under its key. */
export const machineRoutes: Route[] = [
  route({
    at: 'POST /api/v1/jobs/{id}/result',
    policy: { key: 'callback' },
    summary: 'NotebookLM Backend callback: wakes the job or reports why it failed',
    tag: 'Jobs',
    ...SIGNED_REPORT,
    run: (ctx, { id }) => receiveCallback(ctx.services, signedMessage(id, ctx)),
  }),
  route({
    at: 'PATCH /api/v1/jobs/{id}/status',
    policy: { key: 'callback' },
    summary: 'NotebookLM Backend report on a job: a phase, or FAILED with a code',
    tag: 'Jobs',
    ...SIGNED_REPORT,
    run: (ctx, { id }) => receiveStatus(ctx.services, signedMessage(id, ctx)),
  }),
  route({
    at: 'POST /api/v1/artifacts',
    policy: { key: 'job-write' },
    summary: 'Submit the artifact of a job with its write token',
    tag: 'Artifacts',
    bodyLimit: 'large',
    statusOf: ({ created }) => (created ? 201 : 200),
    input: artifactSubmission,
    output: artifactWritten,
    run: ({ services, bearer, caller }, submission) =>
      receiveArtifact(services, { token: bearer ?? '', submission, caller }),
  }),
  route({
    at: 'GET /api/v1/contexts/{name}',
    policy: { key: 'signed' },
    summary: 'Get a context snapshot by its signed address',
    tag: 'Contexts',
    input: z.strictObject({
      name: z.string().regex(/^[0-9a-f]{64}\.json$/),
      expires: z.coerce.number().int().min(0),
      signature: z.string().max(128),
    }),
    output: null,
    run: async ({ services }, { name, ...place }) => {
      const sha256 = sha256Digest.parse(name.slice(0, 64))
      const served = await serveContext(services, { sha256, ...place }, await databaseNow(services.db))
      if (!served.ok) return served
      const headers = { 'content-type': 'application/json' }
      return new Response(Uint8Array.from(served.value), { headers })
    },
  }),
]
