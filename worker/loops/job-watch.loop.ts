import { SCAN_SECONDS } from '#domain/job/job.rules.ts'
import { pollBackend } from '#server/jobs/backend-call.ts'
import { endOverduePhases } from '#server/jobs/leases.ts'
import type { NlmClient } from '#server/jobs/nlm-client.ts'
import { refuseJobs } from '#server/jobs/queue.ts'
import { nextReleaseInMs, releaseJobs } from '#server/jobs/retry.ts'
import { KNOWN_JOB_TYPES } from '#server/jobs/submit-job.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = SCAN_SECONDS * 1_000
/** Between two looks at a backoff that is about to elapse. */
const MIN_WAIT_MS = 20

/**
 * Jobs that wait for a time or an answer: retries that are due (a tick follows just when the next backoff elapses), calls to poll, phases
 * over their limit, jobs that can never run.
 */
export function jobWatchLoop(
  { db }: Pick<Services, 'db'>,
  { holder, nlm }: { holder: string; nlm?: Pick<NlmClient, 'job'> },
): Loop {
  return {
    name: 'job-watch',
    everyMs: SCAN_MS,
    on: ['calls'],
    async tick(_signal, requestTick) {
      await releaseJobs(db)
      if (nlm) await pollBackend({ db }, nlm)
      await endOverduePhases({ db }, holder)
      await refuseJobs(db, KNOWN_JOB_TYPES)
      const next = await nextReleaseInMs(db)
      if (next !== null && next < SCAN_MS) setTimeout(requestTick, Math.max(next, MIN_WAIT_MS)).unref()
      return 'idle'
    },
  }
}
