'use client'
import { type QueryFilters, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { isAwake, whenAwake } from './awake.ts'
import type { StreamEvent } from './event-stream.ts'
import { LiveConnection, type LiveState } from './live-connection.ts'
import { readTogether } from './read-together.ts'
import { onSignedInAgain } from './sign-in-again.ts'

/**
 * Live updates for pages: `useLive` for events, `useLiveQueries` for "read these again when something of that kind happens".
 * While the stream is down both poll at the given interval ± 20 %, never in a hidden tab.
 */
const Live = createContext<LiveConnection | null>(null)
/** A tab that is hidden only for a moment keeps its stream. */
const HIDDEN_MS = 20_000

type ProviderProps = {
  children: ReactNode
  /** The stream was refused: the session has ended. */
  onSignedOut: () => void
}

export function LiveProvider({ children, onSignedOut }: ProviderProps) {
  const queries = useQueryClient()
  const [connection] = useState(() => new LiveConnection(() => void queries.invalidateQueries(), onSignedOut))
  useEffect(() => openOnceAwake(connection), [connection])
  useEffect(
    () =>
      onSignedInAgain(() => {
        connection.open()
        void queries.invalidateQueries()
      }),
    [connection, queries],
  )
  return <Live value={connection}>{children}</Live>
}

function openOnceAwake(connection: LiveConnection): () => void {
  if (isAwake()) return keepOpen(connection)
  let close: (() => void) | null = () => undefined
  void whenAwake().then(() => {
    if (close) close = keepOpen(connection)
  })
  return () => {
    close?.()
    close = null
  }
}

function keepOpen(connection: LiveConnection): () => void {
  let hide: ReturnType<typeof setTimeout> | undefined
  const onVisibility = () => {
    clearTimeout(hide)
    if (document.hidden) hide = setTimeout(() => connection.close(), HIDDEN_MS)
    else connection.open()
  }
  const onOnline = () => connection.open()
  const onOffline = () => connection.close('offline')
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('online', onOnline)
  window.addEventListener('offline', onOffline)
  onVisibility()
  return () => {
    clearTimeout(hide)
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('online', onOnline)
    window.removeEventListener('offline', onOffline)
    connection.close('connecting')
  }
}

/** How changes reach this page now. */
export function useLiveState(): LiveState {
  const connection = useContext(Live)
  return useSyncExternalStore(
    connection?.watch ?? noSubscription,
    () => connection?.state ?? 'connecting',
    () => 'connecting',
  )
}
const noSubscription = () => () => undefined

/**
 * Calls `onEvent` for every event of these topics, and with `null` when the reader should simply read again (poll, reset).
 * `poll` is the fallback interval in ms (contract: runs 5 000, jobs 2 000, inbox 30 000); 0 or nothing for no polling.
 */
export function useLive(
  topics: readonly string[],
  onEvent: (event: StreamEvent | null) => void,
  poll = 0,
): void {
  const connection = useContext(Live)
  const state = useLiveState()
  const handler = useRef(onEvent)
  useEffect(() => {
    handler.current = onEvent
  })
  const wanted = topics.join(' ')
  useEffect(
    () => connection?.listen(wanted.split(' '), (event) => handler.current(event)),
    [connection, wanted],
  )
  useEffect(() => {
    if (state !== 'polling' || poll <= 0) return
    return repeat(poll, () => handler.current(null))
  }, [state, poll])
}

function repeat(period: number, tick: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const plan = () => {
    timer = setTimeout(
      () => {
        if (!document.hidden) tick()
        plan()
      },
      period * (0.8 + Math.random() * 0.4),
    )
  }
  plan()
  return () => clearTimeout(timer)
}

/** At most one reading in this time per page and kind: the first at once, the rest together. */
const PACE_MS = 200
/** How often is asked whether a reading that takes longer has ended. */
const STILL_READING_MS = 50

/**
 * Reads the matching queries again when an event of these topics arrives: `useLiveQueries(['job.status.changed'],
 * trpc.jobs.pathFilter(), 2_000)`.
 */
export function useLiveQueries(topics: readonly string[], filter: QueryFilters, poll = 0): void {
  const read = useReadAgain(filter, PACE_MS)
  useLive(topics, read, poll)
  useCatchUp(topics, filter, read)
}

/** What a page was drawn with may be older than an event that came before the page listened: then it is read again at once. */
function useCatchUp(topics: readonly string[], filter: QueryFilters, readAgain: () => void): void {
  const connection = useContext(Live)
  const queries = useQueryClient()
  const latest = useRef({ filter, readAgain })
  useEffect(() => {
    latest.current = { filter, readAgain }
  })
  const wanted = topics.join(' ')
  useEffect(() => {
    const at = connection?.latestOf(wanted.split(' ')) ?? 0
    const read = queries.getQueryCache().findAll(latest.current.filter)
    const isOld = read.some(({ state }) => state.dataUpdatedAt > 0 && state.dataUpdatedAt < at)
    if (isOld) latest.current.readAgain()
  }, [connection, queries, wanted])
}

type Batch = {
  timer?: ReturnType<typeof setTimeout> | undefined
  round?: ReturnType<typeof readTogether>
  again: boolean
}

/**
 * Has the matching queries read again: at once, and what is asked for within so many milliseconds of a reading together after them. A reading that takes
 * longer is ended first: where events come faster than answers, one that is begun anew with each would never end.
 */
export function useReadAgain(filter: QueryFilters, ms: number): () => void {
  const queries = useQueryClient()
  const batch = useRef<Batch>({ again: false })
  const latest = useRef(filter)
  useEffect(() => {
    latest.current = filter
  })
  useEffect(
    () => () => {
      clearTimeout(batch.current.timer)
      // Should the page be shown again, its next event is read at once.
      batch.current = { again: false }
    },
    [],
  )
  return () => {
    const g = batch.current
    if (g.timer !== undefined) {
      if (g.round?.hasBegun) g.again = true
      return
    }
    const read = () => {
      g.again = false
      g.round = readTogether(queries, latest.current)
      g.timer = setTimeout(rest, ms)
    }
    const rest = () => {
      const isReading = queries.isFetching(latest.current) > 0
      g.timer = isReading ? setTimeout(rest, STILL_READING_MS) : undefined
      if (g.again && !isReading) read()
    }
    read()
  }
}
