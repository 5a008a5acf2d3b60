import { storeArtifact } from '#server/artifacts/write-artifact.ts'
import { createAssembler } from '#server/contexts/job-context.ts'
import { signContextPath } from '#server/contexts/signed-address.ts'
import { callbackUrl, type NlmClient } from '#server/jobs/nlm-client.ts'
import { databaseNow } from '#server/ledger/clock-skew.ts'
import type { Services } from '#server/services.ts'
import type { JobPhases } from './job-phases.ts'

/** RESEARCH: the garden's snapshot, then the NotebookLM Backend, which delivers the artifact under the job's write token. */
export function researchPhases(
  services: Pick<Services, 'db' | 'store' | 'garden' | 'env'>,
  nlm: Pick<NlmClient, 'process'>,
): JobPhases {
  const { env } = services
  const assemble = createAssembler(services)
  return {
    assemble,
    call: async (job, context, writeToken, signal) => {
      const now = await databaseNow(services.db)
      const address = await signContextPath(env.BLOOM_JOB_TOKEN_KEY, context.sha256, now)
      return nlm.process(
        {
          job_id: job.job_id,
          job_type: job.job_type,
          payload: job.payload,
          context: {
            memory_snapshot_url: `${env.GATEWAY_URL}/api/v1${address}`,
            entity_refs: [],
          },
          callback: callbackUrl(env, job.job_id),
          write_token: writeToken,
        },
        signal,
      )
    },
    write: (artifact) => storeArtifact(services, artifact),
  }
}
