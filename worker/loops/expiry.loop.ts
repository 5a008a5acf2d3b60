import type { Services } from '#server/composition/services.ts'
import { expireEntries } from '#server/inbox/expire-entries.ts'
import { discardOldRejections } from '#server/proposals/discard-proposal.ts'
import { expireProposals } from '#server/proposals/expire-proposals.ts'
import { sweepAccess } from '#server/zones/sweep-access.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 60_000

/** Every minute: proposals and entries past their time, rejections nobody took up, zones and sessions that have ended. */
export function expiryLoop(parts: Pick<Services, 'db' | 'database' | 'hints'>): Loop {
  return {
    name: 'expiry',
    everyMs: EVERY_MS,
    async tick() {
      const ended =
        (await expireProposals(parts)) +
        (await expireEntries(parts)) +
        (await discardOldRejections(parts)) +
        (await sweepAccess(parts))
      if (ended > 0) parts.hints.hint('events')
      return 'idle'
    },
  }
}
