'use client'
import { useState } from 'react'

/**
 * The undecided proposals before and after the open one, in the order of the list as it was when the open one stood in it: a
 * decision takes it out of the list before its answer arrives.
 */
export function useNeighbours(id: string, ids: readonly string[]) {
  const [order, setOrder] = useState(ids)
  if (order !== ids && ids.includes(id)) setOrder(ids)
  return neighboursOf(id, order, (one) => one !== id && ids.includes(one))
}

export type Neighbours = ReturnType<typeof useNeighbours>

/** The nearest ones before and after `id` in the order that are still open. */
export function neighboursOf(id: string, order: readonly string[], isOpen: (one: string) => boolean) {
  const at = order.indexOf(id)
  const next = order.slice(at + 1).find(isOpen)
  const previous = order.slice(0, Math.max(0, at)).findLast(isOpen)
  return { next, previous }
}
