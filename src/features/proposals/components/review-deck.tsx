'use client'
import { useQuery } from '@tanstack/react-query'
import { Activity } from 'react'
import { useTRPC } from '#lib/trpc.tsx'
import { useNeighbours } from '../hooks/use-neighbours.ts'
import { Review, type ReviewProps } from './review.tsx'

export type ReviewDeckProps = Omit<ReviewProps, 'id'> & {
  openId: string
  /** Whether one decides here, one after the other. */
  readsAhead: boolean
}

/**
 * The open proposal, and behind it the next one, drawn while nothing else is to do: a decision then only turns to it. What is behind takes no
 * keys, marks nothing as seen and asks nothing of the server, since its effects begin when it is turned to.
 */
export function ReviewDeck({ openId, readsAhead, ...rest }: ReviewDeckProps) {
  const { next } = useNeighbours(openId, rest.ids)
  const isRead = useIsRead(readsAhead ? next : undefined)
  const deck = next && isRead ? [openId, next] : [openId]
  return deck.map((id) => (
    <Activity key={id} mode={id === openId ? 'visible' : 'hidden'}>
      <Review {...rest} id={id} position={id === openId ? rest.position : null} />
    </Activity>
  ))
}

/** Whether this proposal was read already; never reads it. */
function useIsRead(id: string | undefined): boolean {
  const trpc = useTRPC()
  const ahead = useQuery({ ...trpc.proposals.get.queryOptions({ proposal_id: id ?? '' }), enabled: false })
  return id !== undefined && ahead.data !== undefined
}
