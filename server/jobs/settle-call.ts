import type { CallOutcome } from '#domain/job/nlm-outcome.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { endJob } from './end-job.ts'
import type { Hold } from './held-job.ts'
import { restJob } from './rest-job.ts'

/** Turns a bad outcome of the call into J8 or J9. True when the job was still the holder's and moved. */
export async function settleCall(
  services: Pick<Services, 'db' | 'database'>,
  hold: Hold,
  outcome: Exclude<CallOutcome, { kind: 'accepted' }>,
): Promise<boolean> {
  if (outcome.kind === 'fatal') return endJob(services.db, hold, outcome)
  return (await restJob(services, 'nlm_busy', hold, outcome)) !== null
}
