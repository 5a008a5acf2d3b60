import type { Services } from '#server/composition/services.ts'
import { SEAL_BATCH, sealBatch } from '#server/ledger/seal.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 500

/**
 * Seals what was committed (D32), right after a hint and at least twice a second; hints that come while a batch is being sealed are
 * gathered into the next, so that under load one commit seals the events of many.
 */
export function sealerLoop({ db, hints }: Pick<Services, 'db' | 'hints'>): Loop {
  return {
    name: 'sealer',
    everyMs: SCAN_MS,
    on: ['events'],
    async tick() {
      const sealed = await sealBatch(db)
      if (sealed > 0) hints.hint('sealed')
      return sealed === SEAL_BATCH ? 'again' : 'idle'
    },
  }
}
