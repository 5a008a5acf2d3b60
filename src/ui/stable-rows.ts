'use client'
import { useMemo, useState } from 'react'

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

export type StableList<Row> = {
  idOf: (row: Row) => string
  /** True when the list is loaded to its end. Otherwise a row missing at the end may only have been pushed to the next page. */
  complete: boolean
  /** Rows that are known to have left the list. */
  departed: ReadonlySet<string>
}

/** Pure: what to show, given the ids on screen and the list as it is now. `kept` finds rows that were removed from the list. */
export function stabilize<Row>(
  onScreen: readonly string[],
  incoming: readonly Row[],
  { idOf, complete, departed, kept }: StableList<Row> & { kept: (id: string) => Row | undefined },
): StableRows<Row> {
  const now = new Map(incoming.map((row) => [idOf(row), row] as const))
  const known = new Set(onScreen)
  const shown = onScreen.map((id) => now.get(id) ?? kept(id)).filter((row): row is Row => row !== undefined)
  const lastPresent = onScreen.findLastIndex((id) => now.has(id))
  const removed = new Set(
    onScreen.filter((id, i) => !now.has(id) && (complete || i < lastPresent || departed.has(id))),
  )
  const lastKnown = incoming.findLastIndex((row) => known.has(idOf(row)))
  // Where nothing known is left, the rows that came follow those on screen only if all of these are known to have left.
  if (lastKnown < 0 && !onScreen.every((id) => departed.has(id)))
    return { rows: shown, newCount: incoming.length, removed }
  const newCount = incoming.slice(0, lastKnown + 1).filter((row) => !known.has(idOf(row))).length
  return { rows: [...shown, ...incoming.slice(lastKnown + 1)], newCount, removed }
}

type State<Row> = {
  scope: string
  ids: readonly string[]
  seen: ReadonlyMap<string, Row>
  source: readonly Row[]
}

/**
 * The stable view of a live list. `scope` names the question (filters and sorting as one string): another scope is another list.
 * Returns the rows to show, how many new ones wait, which have left, and `show` to bring the list up to date. While nothing has changed the
 * rows are the very same array.
 */
export function useStableRows<Row>(incoming: readonly Row[], list: StableList<Row> & { scope: string }) {
  const { idOf, scope, complete, departed } = list
  const begin = (): State<Row> => ({
    scope,
    ids: incoming.map(idOf),
    seen: new Map(incoming.map((row) => [idOf(row), row])),
    source: incoming,
  })
  const [state, setState] = useState(begin)
  const isKept = state.scope === scope && state.ids.length > 0
  const stable = useMemo(() => {
    const ids = isKept ? state.ids : incoming.map(idOf)
    return stabilize(ids, incoming, { idOf, complete, departed, kept: (id) => state.seen.get(id) })
  }, [isKept, state, incoming, idOf, complete, departed])
  if (state.scope !== scope || state.source !== incoming) {
    setState({
      scope,
      ids: stable.rows.map(idOf),
      seen: new Map([...(isKept ? state.seen : []), ...incoming.map((row) => [idOf(row), row] as const)]),
      source: incoming,
    })
  }
  return { ...stable, show: () => setState(begin()) }
}
