'use client'
import { useCallback, useMemo, useState } from 'react'
import { useLive } from './live.tsx'

type Stated = { status: string }
export type Departures<Row> = {
  /** What became of rows that are no longer in the list, by id. */
  departed: ReadonlyMap<string, Partial<Row>>
  /** Notes what an action made of rows. */
  depart: (rows: ReadonlyMap<string, Partial<Row>>) => void
}

type Kept<Row> = { scope: string; rows: ReadonlyMap<string, Partial<Row>> }

/**
 * What became of rows that leave a list of certain states: told by the answer of the action that moved them, and afterwards by the
 * events of `topic`. `wanted` are the states of the list (none: every state, and nothing leaves), `ids` its rows; another `scope`
 * is another list.
 */
export function useDepartures<Row extends Stated>(
  topic: string,
  list: { wanted: readonly Row['status'][] | undefined; ids: readonly string[]; scope: string },
): Departures<Row> {
  const { wanted, ids, scope } = list
  const [kept, setKept] = useState<Kept<Row>>({ scope, rows: new Map() })
  const depart = useCallback(
    (rows: ReadonlyMap<string, Partial<Row>>) =>
      setKept((was) => {
        const next = new Map(was.scope === scope ? was.rows : [])
        for (const [id, change] of rows) next.set(id, { ...next.get(id), ...change })
        return { scope, rows: next }
      }),
    [scope],
  )
  useLive([topic], (event) => {
    const id = event?.resource?.id
    if (!id || !event.to || !(ids.includes(id) || kept.rows.has(id))) return
    depart(new Map([[id, { status: event.to } as Partial<Row>]]))
  })
  const departed = useMemo(() => {
    const rows = kept.scope === scope ? [...kept.rows] : []
    return new Map(rows.filter(([, { status }]) => wanted && status && !wanted.includes(status)))
  }, [kept, scope, wanted])
  return { departed, depart }
}
