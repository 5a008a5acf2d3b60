import { REAPER_SECONDS } from '#domain/job/job.rules.ts'
import { reapLeases } from '#server/jobs/leases.ts'
import type { NlmClient } from '#server/jobs/nlm-client.ts'
import { cancelJobsOfArchived } from '#server/jobs/operate-job.ts'
import { deleteOldMessages } from '#server/jobs/receive-callback.ts'
import { markExhaustedDead } from '#server/jobs/retry.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

/** Every 15 s and at start: jobs of dead holders and of archived agents, dead letters, old callbacks and bulk previews ([jobs#leases-and-fences]). */
export function reaperLoop(
  { db }: Pick<Services, 'db'>,
  { nlm }: { nlm?: Pick<NlmClient, 'job'> } = {},
): Loop {
  return {
    name: 'reaper',
    everyMs: REAPER_SECONDS * 1_000,
    async tick() {
      const reaped = await reapLeases({ db }, nlm)
      const cancelled = await cancelJobsOfArchived(db)
      await markExhaustedDead(db)
      await deleteOldMessages(db)
      return reaped + cancelled > 0 ? 'again' : 'idle'
    },
  }
}
