'use client'
import { useEffect, useMemo, useState } from 'react'
import type { ShownRows } from '#ui/data-table.tsx'
import { type Position, positionOf } from '../position.ts'

type List = {
  openId: string | null
  /** The rows of the list as it is now; they stand in for the order until that is on screen. */
  ids: readonly string[]
  scope: string
  more: { has: boolean; loading: boolean; failed: boolean; load: () => void }
  /** How many wait in all, where the list is of all that waits. */
  waiting: number | null
}

const NOTHING_REMOVED: ReadonlySet<string> = new Set()
/** So many rows before its end the next page is loaded, so that a decision always leads on. */
const AHEAD = 5

/** The order of the list as it is on screen: new proposals wait to be asked for, so the next one is the one below. */
export function useStableOrder({ openId, ids, scope, more, waiting }: List) {
  const [shown, onShown] = useState<ShownRows | null>(null)
  const order = useMemo(
    () => (shown?.scope === scope ? shown : { ids, removed: NOTHING_REMOVED }),
    [shown, scope, ids],
  )
  const open = useMemo(() => order.ids.filter((id) => !order.removed.has(id)), [order])
  const { has, loading, failed, load } = more
  const atEnd = openId !== null && order.ids.indexOf(openId) >= order.ids.length - AHEAD
  useEffect(() => {
    if (atEnd && has && !loading && !failed) load()
  }, [atEnd, has, loading, failed, load])
  const position: Position | null = openId ? positionOf(openId, order, { more: has, waiting }) : null
  return { open, position, onShown }
}
