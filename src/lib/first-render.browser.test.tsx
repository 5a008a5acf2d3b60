/** The first render of a page that the server has drawn is that of the server, whatever the browser knows or hears meanwhile. */
import { dehydrate, HydrationBoundary, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AfterPaint } from './after-paint.tsx'
import { whenAwake } from './awake.ts'
import { LiveProvider, useLiveQueries } from './live.tsx'
import { makeQueryClient } from './query-client.ts'
import { openNetwork } from './testing/network.ts'
import { router } from './testing/procedures.ts'
import { systemOf } from './testing/system-answers.ts'
import { ServerProvider, useTRPC } from './trpc.tsx'
import { forgetDrafts, useDraft } from './use-draft.ts'
import { Waking } from './waking.tsx'

/** What the server has drawn is taken over; every fault of that is noted. */
function takeOver(drawn: ReactNode, taken: ReactNode) {
  const place = document.body.appendChild(document.createElement('div'))
  place.innerHTML = renderToString(drawn)
  const [before, faults] = [place.textContent, [] as unknown[]]
  const root = hydrateRoot(place, taken, { onRecoverableError: (fault) => faults.push(fault) })
  onTestFinished(() => {
    root.unmount()
    place.remove()
  })
  return { place, before, faults }
}

function Form() {
  const { values, restored } = useDraft('form', { text: 'nothing' }, '/page')
  return <p>{`${values.text} ${restored}`}</p>
}

it('a draft comes back on a page of the server after its first render', async () => {
  sessionStorage.setItem('draft:anonymous:/page:form', JSON.stringify({ text: 'kept' }))
  onTestFinished(forgetDrafts)
  const { place, before, faults } = takeOver(<Form />, <Form />)
  expect(before).toBe('nothing false')
  await expect.poll(() => place.textContent).toBe('kept true')
  expect(faults).toEqual([])
})

const Pair = () => (
  <p>
    first<AfterPaint> then</AfterPaint>
  </p>
)

it('what stands below is drawn by the server with the rest, and by the browser once the rest is painted', async () => {
  const { place, before, faults } = takeOver(<Pair />, <Pair />)
  expect(before).toBe('first then')
  await new Promise(requestAnimationFrame)
  expect([place.textContent, faults]).toEqual(['first then', []])
  const next = document.body.appendChild(document.createElement('div'))
  const root = createRoot(next)
  onTestFinished(() => {
    root.unmount()
    next.remove()
  })
  flushSync(() => root.render(<Pair />))
  expect(next.textContent).toBe('first')
  await expect.poll(() => next.textContent).toBe('first then')
})

/** So many of the two places are alive. */
let alive = 0

function Needs() {
  const { counts } = useTRPC().system
  useEffect(() => {
    alive++
  }, [])
  useLiveQueries(['inbox.new'], counts.pathFilter())
  return <b>{useQuery(counts.queryOptions()).data?.needs}</b>
}

const Part = () => (
  <>
    <Waking />
    <Needs />
  </>
)

/** A frame that shows what its page shows, too, as of long ago: it asks for it again at once. */
function Framed({ children }: { children: ReactNode }) {
  const drawnFrom = makeQueryClient()
  const data = { needs: 1, proposals_waiting: 0 }
  drawnFrom.setQueryData([['system', 'counts'], { type: 'query' }], data, { updatedAt: 1 })
  return (
    <ServerProvider>
      <HydrationBoundary state={dehydrate(drawnFrom)}>
        <LiveProvider onSignedOut={() => undefined}>
          <Needs />
          <Suspense>{children}</Suspense>
        </LiveProvider>
      </HydrationBoundary>
    </ServerProvider>
  )
}

it('what changes meanwhile is heard once the whole page is taken over', async () => {
  const network = openNetwork(router({ system: systemOf({ needs: 2 }) }))
  onTestFinished(network.restore)
  const { promise, resolve } = Promise.withResolvers<{ default: typeof Part }>()
  const Late = lazy(() => promise)
  const { place, before, faults } = takeOver(
    <Framed>
      <Part />
    </Framed>,
    <Framed>
      <Late />
    </Framed>,
  )
  expect(before).toBe('11')
  await expect.poll(() => alive).toBe(1)
  // Long enough for an answer, were one asked for.
  for (let n = 0; n < 5; n++) {
    await fetch('/api/trpc/system.counts')
    await new Promise(requestAnimationFrame)
  }
  resolve({ default: Part })
  await expect.poll(() => place.textContent).toBe('22')
  expect(faults).toEqual([])
})

it('a part that never comes keeps the rest from the network only for a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const part = document.body.appendChild(document.createElement('span'))
  part.dataset.waking = ''
  onTestFinished(() => {
    vi.useRealTimers()
    part.remove()
  })
  let isOver = false
  const waited = whenAwake().then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(14_000)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  await waited
})
