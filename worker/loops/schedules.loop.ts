import { CONSUMED_AT_ONCE, CONSUMER_REST_MS, release } from '#server/outbox/consume.ts'
import { fireEvents, TRIGGERS } from '#server/schedules/fire-events.ts'
import { fireSchedules } from '#server/schedules/fire-schedules.ts'
import { registerSchedules } from '#server/schedules/register-schedules.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 2_000

type Parts = Pick<Services, 'db' | 'garden' | 'env' | 'entryHandlers' | 'orchestration'>

/** Starts agents by their schedules and by events. Every worker looks; each slot fires once. */
export function scheduleLoops(parts: Parts, holder: string): { loops: [Loop, Loop]; stop(): Promise<void> } {
  const schedules: Loop = {
    name: 'schedules',
    everyMs: SCAN_MS,
    async tick() {
      await registerSchedules(parts)
      await fireSchedules(parts)
      return 'idle'
    },
  }
  const triggers: Loop = {
    name: TRIGGERS,
    everyMs: SCAN_MS,
    on: ['sealed'],
    restMs: CONSUMER_REST_MS,
    tick: async () => ((await fireEvents(parts, holder)) === CONSUMED_AT_ONCE ? 'again' : 'idle'),
  }
  return { loops: [schedules, triggers], stop: () => release(parts.db, { name: TRIGGERS, holder }) }
}
