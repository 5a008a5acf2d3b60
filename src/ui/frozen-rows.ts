'use client'
import { useState } from 'react'

/**
 * Keeps a live list still under the reader's eyes. Known rows are renewed in place, rows that left stay until the reader asks,
 * rows that come after all known ones are appended (the next page), and new ones in between wait to be asked for.
 */
export type Frozen<Row> = {
  rows: readonly Row[]
  /** How many new ones wait. */
  fresh: number
  /** The ids of shown rows that are in the list no more. */
  left: ReadonlySet<string>
}

/** Pure: what to show, given the ids on screen and the list as it is now. `kept` finds rows that left the list. */
export function freeze<Row>(
  onScreen: readonly string[],
  incoming: readonly Row[],
  idOf: (row: Row) => string,
  kept: (id: string) => Row | undefined,
): Frozen<Row> {
  const now = new Map(incoming.map((row) => [idOf(row), row] as const))
  const known = new Set(onScreen)
  const shown = onScreen.map((id) => now.get(id) ?? kept(id)).filter((row): row is Row => row !== undefined)
  const lastKnown = incoming.findLastIndex((row) => known.has(idOf(row)))
  const left = new Set(onScreen.filter((id) => !now.has(id)))
  const added = incoming.slice(lastKnown + 1)
  const fresh = incoming.slice(0, lastKnown + 1).filter((row) => !known.has(idOf(row))).length
  return lastKnown < 0 && onScreen.length > 0 && incoming.length > 0
    ? { rows: shown, fresh: incoming.length, left }
    : { rows: [...shown, ...added], fresh, left }
}

type State<Row> = {
  scope: string
  ids: readonly string[]
  seen: ReadonlyMap<string, Row>
  source: readonly Row[]
}

/**
 * The still view of a live list. `scope` names the question (filters and sorting as one string): another scope is another list.
 * Returns the rows to show, how many new ones wait, and `show` to let them in.
 */
export function useFrozenRows<Row>(incoming: readonly Row[], idOf: (row: Row) => string, scope: string) {
  const begin = (): State<Row> => ({
    scope,
    ids: incoming.map(idOf),
    seen: new Map(incoming.map((row) => [idOf(row), row])),
    source: incoming,
  })
  const [state, setState] = useState(begin)
  const current = state.scope === scope && state.ids.length > 0 ? state : begin()
  const { rows, fresh, left } = freeze(current.ids, incoming, idOf, (id) => current.seen.get(id))
  if (state.scope !== scope || state.source !== incoming) {
    setState({
      scope,
      ids: rows.map(idOf),
      seen: new Map([...current.seen, ...incoming.map((row) => [idOf(row), row] as const)]),
      source: incoming,
    })
  }
  return { rows, fresh, left, show: () => setState(begin()) }
}
