'use client'
import { useState } from 'react'

/**
 * Keeps a live list stable while it is read. Known rows are updated in place, removed rows stay until the reader asks, rows after
 * all known ones are appended (the next page), and new ones in between wait until they are asked for.
 */
export type StableRows<Row> = {
  rows: readonly Row[]
  /** How many new rows wait to be shown. */
  newCount: number
  /** The ids of shown rows that are no longer in the list. */
  removed: ReadonlySet<string>
}

/** Pure: what to show, given the ids on screen and the list as it is now. `kept` finds rows that were removed from the list. */
export function stabilize<Row>(
  onScreen: readonly string[],
  incoming: readonly Row[],
  idOf: (row: Row) => string,
  kept: (id: string) => Row | undefined,
): StableRows<Row> {
  const now = new Map(incoming.map((row) => [idOf(row), row] as const))
  const known = new Set(onScreen)
  const shown = onScreen.map((id) => now.get(id) ?? kept(id)).filter((row): row is Row => row !== undefined)
  const lastKnown = incoming.findLastIndex((row) => known.has(idOf(row)))
  const removed = new Set(onScreen.filter((id) => !now.has(id)))
  const added = incoming.slice(lastKnown + 1)
  const newCount = incoming.slice(0, lastKnown + 1).filter((row) => !known.has(idOf(row))).length
  return lastKnown < 0 && onScreen.length > 0 && incoming.length > 0
    ? { rows: shown, newCount: incoming.length, removed }
    : { rows: [...shown, ...added], newCount, removed }
}

type State<Row> = {
  scope: string
  ids: readonly string[]
  seen: ReadonlyMap<string, Row>
  source: readonly Row[]
}

/**
 * The stable view of a live list. `scope` names the question (filters and sorting as one string): another scope is another list.
 * Returns the rows to show, how many new ones wait, and `show` to let them in.
 */
export function useStableRows<Row>(incoming: readonly Row[], idOf: (row: Row) => string, scope: string) {
  const begin = (): State<Row> => ({
    scope,
    ids: incoming.map(idOf),
    seen: new Map(incoming.map((row) => [idOf(row), row])),
    source: incoming,
  })
  const [state, setState] = useState(begin)
  const current = state.scope === scope && state.ids.length > 0 ? state : begin()
  const { rows, newCount, removed } = stabilize(current.ids, incoming, idOf, (id) => current.seen.get(id))
  if (state.scope !== scope || state.source !== incoming) {
    setState({
      scope,
      ids: rows.map(idOf),
      seen: new Map([...current.seen, ...incoming.map((row) => [idOf(row), row] as const)]),
      source: incoming,
    })
  }
  return { rows, newCount, removed, show: () => setState(begin()) }
}
