import type { ProposalItem } from '#contracts/proposal.contract.ts'

/** Why a swipe may not approve what the button may. */
export type SwipeRefusal = 'buttons' | 'changed' | 'contested' | 'risk'

type Card = Pick<ProposalItem, 'proposal_id' | 'risk' | 'freshness' | 'target'>

/**
 * A swipe is quick and easily made by mistake, so it approves only what is of low risk and what nothing else touches. `offered`: the button
 * approves this proposal as a whole; `held`: approvals that can still be undone. Pure; null where a swipe may approve.
 */
export function swipeRefusal(
  card: Card,
  { offered, held }: { offered: boolean; held: readonly Pick<ProposalItem, 'proposal_id' | 'target'>[] },
): SwipeRefusal | null {
  if (!offered) return 'buttons'
  if (card.freshness?.state !== 'clean') return 'changed'
  // A risk that nobody has assessed is not low.
  if (card.risk?.level !== 'low') return 'risk'
  const isSame = (one: Pick<ProposalItem, 'target'>) => one.target.path === card.target.path
  return held.some(isSame) ? 'contested' : null
}

/** What a drag to the side would do if the finger left the screen now. */
export type Pull = { to: 'approve' | 'next'; far: boolean }

/** How far a card is drawn before letting go means anything: no more than a thumb reaches, no less than a slip. */
export const FAR_PX = 112
/** Closer to the edge of the screen a swipe is the browser's: back. */
export const EDGE_PX = 24

/** What `dx` pixels to the right (to the left: negative) ask for; null at rest. */
export const pullOf = (dx: number): Pull | null =>
  dx === 0 ? null : { to: dx > 0 ? 'approve' : 'next', far: Math.abs(dx) >= FAR_PX }

/** Where the card stands under the finger: with it, or held back where letting go does nothing. */
export const shiftOf = (dx: number, isAllowed: boolean): number => (isAllowed ? dx : dx / 5)
