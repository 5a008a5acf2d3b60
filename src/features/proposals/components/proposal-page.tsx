'use client'
import { ProposalsPage } from './proposals-page.tsx'
import { ReviewDeck } from './review-deck.tsx'

/** The Proposals page at the address of one: the review is what is looked at first, so its code comes with the page. */
export function ProposalPage() {
  return <ProposalsPage Deck={ReviewDeck} />
}
