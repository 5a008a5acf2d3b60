import type { JobErrorCode } from '#contracts/job.contract.ts'
import type { JobState } from '#domain/job/job.machine.ts'
import { PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { overdueJobs } from './hold-leases.ts'
import { restJob } from './rest-job.ts'

type Overrun = { event: 'context_timeout' | 'nlm_busy' | 'write_error'; code: JobErrorCode; message: string }

/** What an overrun of each phase is called (page 02, section 2.3). */
const OVERRUN: Partial<Record<JobState, Overrun>> = {
  CONTEXT_ASSEMBLY: {
    event: 'context_timeout',
    code: 'CONTEXT_TIMEOUT',
    message: `the context was not ready within ${PHASE_LIMIT_SECONDS.CONTEXT_ASSEMBLY} s`,
  },
  NOTEBOOKLM_CALL: {
    event: 'nlm_busy',
    code: 'NLM_TIMEOUT',
    message: `no answer from the NotebookLM Backend within ${PHASE_LIMIT_SECONDS.NOTEBOOKLM_CALL} s`,
  },
  ARTIFACT_WRITE: {
    event: 'write_error',
    code: 'STORAGE_ERROR',
    message: `the artifact was not stored within ${PHASE_LIMIT_SECONDS.ARTIFACT_WRITE} s`,
  },
}

/** Ends the phases of this worker's jobs that ran over their limits. Returns how many were ended. */
export async function endOverduePhases(
  services: Pick<Services, 'db' | 'database'>,
  holder: string,
): Promise<number> {
  let ended = 0
  for (const job of await overdueJobs(services.db, holder)) {
    const overrun = OVERRUN[job.status as JobState]
    if (overrun && (await restJob(services, overrun.event, job, overrun))) ended++
  }
  return ended
}
