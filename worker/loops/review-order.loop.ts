import { returnUnanswered } from '#server/inbox/return-changes.ts'
import { keepReviewOrder } from '#server/proposals/keep-review-order.ts'
import { endSnoozes } from '#server/proposals/snooze-proposal.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 5_000

/** Keeps the order in which pending proposals are shown in step with the garden and the clock, and ends snoozes and vain waits for an agent. */
export function reviewOrderLoop(services: Pick<Services, 'db' | 'garden'>): Loop {
  return {
    name: 'review-order',
    everyMs: EVERY_MS,
    async tick() {
      await endSnoozes(services)
      await returnUnanswered(services)
      await keepReviewOrder(services)
      return 'idle'
    },
  }
}
