import type { Services } from '#server/composition/services.ts'
import { resolvePending } from '#server/inbox/resolve-pending.ts'
import { workStarters } from '#server/inbox/work-starters.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 2_000

/** Takes up entries that wait because the garden did not answer when they came (page 01, section 1.3). */
export function inboxLoop(services: Pick<Services, 'db' | 'garden' | 'hints'>): Loop {
  return {
    name: 'inbox',
    everyMs: SCAN_MS,
    async tick() {
      const resolved = await resolvePending({ ...services, starters: workStarters })
      if (resolved > 0) for (const topic of ['events', 'runs', 'jobs'] as const) services.hints.hint(topic)
      return resolved > 0 ? 'again' : 'idle'
    },
  }
}
