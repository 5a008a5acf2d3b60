import { expireEntries } from '#server/inbox/entry-transitions.ts'
import { discardOldRejections, expireProposals } from '#server/proposals/close-proposal.ts'
import { forgetPushes } from '#server/push/forget-pushes.ts'
import { expireQuestions } from '#server/questions/expire-questions.ts'
import type { Services } from '#server/services.ts'
import { sweepAccess } from '#server/zones/sweep-access.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 60_000

/** Every minute: closes proposals and entries past their time, old rejections, questions that nobody answered, machine keys, and zones that have ended with their sessions; deletes what was sent to devices long ago. */
export function expiryLoop(services: Pick<Services, 'db'>): Loop {
  return {
    name: 'expiry',
    everyMs: EVERY_MS,
    async tick() {
      await expireProposals(services)
      await expireEntries(services)
      await discardOldRejections(services)
      await expireQuestions(services)
      await sweepAccess(services)
      await forgetPushes(services)
      return 'idle'
    },
  }
}
