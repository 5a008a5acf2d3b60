import { REAPER_SECONDS } from '#domain/job/job.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { buryJobs } from '#server/jobs/bury-jobs.ts'
import { forgetOldMessages } from '#server/jobs/forget-old-messages.ts'
import type { NlmClient } from '#server/jobs/nlm-client.ts'
import { reapLeases } from '#server/jobs/reap-leases.ts'
import type { Loop } from './loop.ts'

type Parts = Pick<Services, 'db' | 'database' | 'hints'>

/** Every 15 s and at start: jobs of dead holders, dead letters, memories that are no longer needed (D5, D23). */
export function reaperLoop(parts: Parts, { nlm }: { nlm?: Pick<NlmClient, 'job'> } = {}): Loop {
  return {
    name: 'reaper',
    everyMs: REAPER_SECONDS * 1000,
    async tick() {
      const reaped = await reapLeases(parts, nlm)
      const buried = await buryJobs(parts.db)
      await forgetOldMessages(parts.db)
      if (reaped + buried === 0) return 'idle'
      parts.hints.hint('jobs')
      parts.hints.hint('runs')
      parts.hints.hint('events')
      return reaped > 0 ? 'again' : 'idle'
    },
  }
}
