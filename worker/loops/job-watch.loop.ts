import { SCAN_SECONDS } from '#domain/job/job.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { refuseJobs } from '#server/jobs/admit-jobs.ts'
import { endOverduePhases } from '#server/jobs/end-overdue-phases.ts'
import type { NlmClient } from '#server/jobs/nlm-client.ts'
import { pollBackend } from '#server/jobs/poll-backend.ts'
import { KNOWN_JOB_TYPES } from '#server/jobs/submit-job.ts'
import { nextWakeInMs, wakeJobs } from '#server/jobs/wake-jobs.ts'
import type { Loop } from './loop.ts'

type Parts = Pick<Services, 'db' | 'database' | 'hints'>

const SCAN_MS = SCAN_SECONDS * 1000

/** Jobs that wait for a time or an answer: rests that are over (looked at again just when the next one ends), calls to ask about, phases over their limit, jobs that can never run. */
export function jobWatchLoop(
  parts: Parts,
  { holder, nlm }: { holder: string; nlm?: Pick<NlmClient, 'job'> },
): Loop {
  return {
    name: 'job-watch',
    everyMs: SCAN_MS,
    on: ['calls'],
    async tick(_signal, ring) {
      const woken = await wakeJobs(parts.db)
      const moved =
        (nlm ? await pollBackend(parts, nlm) : 0) +
        (await endOverduePhases(parts, holder)) +
        (await refuseJobs(parts.db, KNOWN_JOB_TYPES)).length
      if (woken > 0) parts.hints.hint('jobs')
      if (moved > 0) parts.hints.hint('runs')
      if (woken + moved > 0) parts.hints.hint('events')
      const next = await nextWakeInMs(parts.db)
      if (next !== null && next < SCAN_MS) setTimeout(ring, Math.max(next, 20)).unref()
      return 'idle'
    },
  }
}
