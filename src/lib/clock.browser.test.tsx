/** The reader's clock is compared with the server's as of when the page arrived, however long it took to start. */
import { useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ClockProvider, useNow } from './clock.tsx'

const HOUR_MS = 3_600_000
const SLOW_MS = 20_000
/** Of `toBeCloseTo`, in places. */
const WITHIN_5_S = -4
let ahead = Number.NaN

function Ahead() {
  const now = useNow(1_000)
  useEffect(() => {
    ahead = now - Date.now()
  }, [now])
  return null
}

/** A page that the server rendered at `now` by its own clock is taken over. */
function takeOver(now: number) {
  const page = (
    <ClockProvider now={now}>
      <Ahead />
    </ClockProvider>
  )
  const place = document.body.appendChild(document.createElement('div'))
  place.innerHTML = renderToString(page)
  const root = hydrateRoot(place, page)
  onTestFinished(() => {
    root.unmount()
    place.remove()
  })
  ahead = Number.NaN
  return expect.poll(() => ahead)
}

/** It is so much later than it was when the page arrived. */
function startSlowly(): number {
  const real = performance.now.bind(performance)
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => real() + SLOW_MS)
  onTestFinished(() => spy.mockRestore())
  const [page] = performance.getEntriesByType('navigation')
  return (
    Date.now() - performance.now() + ((page as PerformanceNavigationTiming | undefined)?.responseStart ?? 0)
  )
}

it('does not take a page that was slow to start for a wrong clock', async () => {
  await takeOver(startSlowly()).toBeCloseTo(0, WITHIN_5_S)
})

it('counts in the time of the server where the clock is wrong, slow or not', async () => {
  await takeOver(startSlowly() + HOUR_MS).toBeCloseTo(HOUR_MS, WITHIN_5_S)
})

it('is compared with now where nobody knows when the page arrived', async () => {
  const spy = vi.spyOn(performance, 'getEntriesByType').mockReturnValue([])
  onTestFinished(() => spy.mockRestore())
  await takeOver(Date.now() - HOUR_MS).toBeCloseTo(-HOUR_MS, WITHIN_5_S)
})
