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
 * is another list. `particulars` reads what belongs to a new state and is shown with it, not after it; null of a state without any.
 */
export function useDepartures<Row extends Stated>(
  topic: string,
  list: {
    wanted: readonly Row['status'][] | undefined
    ids: readonly string[]
    scope: string
    particulars?: (id: string, status: Row['status']) => Promise<Partial<Row>> | null
  },
): Departures<Row> {
  const { wanted, ids, scope, particulars } = list
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
    const to = { status: event.to } as Row
    const become = (more: Partial<Row>) => depart(new Map([[id, { ...more, ...to }]]))
    const read = particulars?.(id, to.status)
    if (read) read.then(become, () => become({}))
    else become({})
  })
  const departed = useMemo(() => {
    const rows = kept.scope === scope ? [...kept.rows] : []
    return new Map(rows.filter(([, { status }]) => wanted && status && !wanted.includes(status)))
  }, [kept, scope, wanted])
  return { departed, depart }
}
