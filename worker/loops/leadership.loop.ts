import { finishSelections } from '#server/membridge/finish-selections.ts'
import { SCAN_BATCH, SCAN_SECONDS, scanLeadership } from '#server/membridge/scan-leadership.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

/**
 * Every fifteen seconds, and at once when a selection was left open or a project is new: ends selections, and looks at the leases in the store. A
 * loop of its own, so that a slow store holds up nothing else.
 */
export function leadershipLoop(services: Pick<Services, 'db' | 'store' | 'storeConditions' | 'log'>): Loop {
  let goesOn = false
  return {
    name: 'leadership',
    everyMs: SCAN_SECONDS * 1_000,
    on: ['leadership'],
    async tick() {
      await finishSelections(services)
      goesOn = (await scanLeadership(services, { goesOn })) === SCAN_BATCH
      return goesOn ? 'again' : 'idle'
    },
  }
}
