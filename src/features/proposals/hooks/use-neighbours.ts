'use client'
import { useState } from 'react'

/**
 * The undecided proposals before and after the open one, in the order of the list as it was when the open one stood in it: a
 * decision takes it out of the list before its answer arrives.
 */
export function useNeighbours(id: string, ids: readonly string[]) {
  const [order, setOrder] = useState(ids)
  if (order !== ids && ids.includes(id)) setOrder(ids)
  const at = order.indexOf(id)
  const open = (one: string) => one !== id && ids.includes(one)
  const next = order.slice(at + 1).find(open)
  const previous = order.slice(0, Math.max(0, at)).findLast(open)
  return { next, previous }
}
