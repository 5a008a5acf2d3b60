import { gardenInconsistencies } from '#server/apply/garden-watch.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 3_600_000

/** At start and every hour: APPLIED exactly when one commit carries the id, in both directions ([proposals#I-P1]). */
export function applyCheckLoop(services: Pick<Services, 'db' | 'garden' | 'log'>): Loop {
  return {
    name: 'apply-check',
    everyMs: EVERY_MS,
    async tick() {
      for (const found of await gardenInconsistencies(services))
        services.log.error({ ...found }, 'the ledger and the branch disagree')
      return 'idle'
    },
  }
}
