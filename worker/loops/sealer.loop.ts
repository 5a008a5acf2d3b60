import { SEAL_BATCH, sealBatch } from '#server/ledger/seal.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 500
/** The same notification lets a job begin, and whoever made the change goes on: both come first, and events that follow share the batch. */
const REST_MS = 4

/**
 * Seals committed events ([ledger#sealing]), right after a notification and at least twice a second. Notifications that come while a batch
 * is being sealed lead to one more batch, so that under load one commit seals the events of many.
 */
export function sealerLoop({ db }: Pick<Services, 'db'>): Loop {
  return {
    name: 'sealer',
    everyMs: SCAN_MS,
    on: ['events'],
    restMs: REST_MS,
    async tick() {
      const sealed = await sealBatch(db)
      if (sealed > 0) db.notify('sealed')
      return sealed === SEAL_BATCH ? 'again' : 'idle'
    },
  }
}
