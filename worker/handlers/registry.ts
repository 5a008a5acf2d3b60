import type { JobType } from '#domain/job/job.rules.ts'
import type { NlmClient } from '#server/jobs/nlm-client.ts'
import type { Services } from '#server/services.ts'
import type { JobPhases } from './job-phases.ts'
import { researchPhases } from './research.handler.ts'

/** The phases of every type of job; null marks a type without a handler, refused before it is queued ([jobs#J3]). */
export type Handlers = Record<JobType, JobPhases | null>

export function jobHandlers(
  services: Pick<Services, 'db' | 'store' | 'garden' | 'env'>,
  nlm: Pick<NlmClient, 'process'>,
): Handlers {
  return { RESEARCH: researchPhases(services, nlm), BRIEF: null, PROPOSAL_PREPROCESS: null }
}
