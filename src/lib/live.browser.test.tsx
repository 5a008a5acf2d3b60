/** What a page reads again when an event comes: each query once, whoever asked for it, and no answer is given up for a newer one. */
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { expect, it, onTestFinished } from 'vitest'
import { render } from 'vitest-browser-react'
import { LiveProvider, useLiveQueries } from './live.tsx'
import { openNetwork } from './testing/network.ts'
import { router } from './testing/procedures.ts'

const TOPIC = 'proposal.created'
type Reading = { key: string; signal: AbortSignal; answer: () => void }

/** Readers of two queries, one of which two of them show; a reading is answered at once unless `held`. */
async function openPage() {
  const network = openNetwork(router({}))
  const page = { readings: [] as Reading[], held: false }
  const read = (key: string, signal: AbortSignal) =>
    new Promise<number>((done) => {
      const n = page.readings.length
      page.readings.push({ key, signal, answer: () => done(n) })
      if (!page.held) done(n)
    })
  function Reader({ of }: { of: string }) {
    useLiveQueries([TOPIC], { queryKey: [of] })
    const { data } = useQuery({ queryKey: [of], queryFn: ({ signal }) => read(of, signal) })
    return <p>{data}</p>
  }
  const screen = await render(
    <QueryClientProvider client={new QueryClient()}>
      <LiveProvider onSignedOut={() => undefined}>
        <Reader of="counts" />
        <Reader of="counts" />
        <Reader of="list" />
      </LiveProvider>
    </QueryClientProvider>,
  )
  onTestFinished(async () => {
    await screen.unmount()
    network.restore()
  })
  let events = 0
  const publish = () => {
    network.publish({ id: String(++events), topic: TOPIC, resource: { type: 'proposal', id: 'p' } })
  }
  const keys = () => page.readings.map(({ key }) => key)
  // The page reads, and once more when its stream has opened.
  await expect.poll(keys).toEqual(['counts', 'list', 'counts', 'list'])
  return Object.assign(page, { publish, keys })
}

it('a query that is shown twice is read once for an event', async () => {
  const { publish, keys } = await openPage()
  await expect
    .poll(() => {
      publish()
      return keys().length
    })
    .toBeGreaterThan(10)
  const read = (wanted: string) => keys().filter((key) => key === wanted).length
  expect(read('counts')).toBe(read('list'))
})

it('what is being read is not given up for events that come meanwhile, and is read again after them', async () => {
  const page = await openPage()
  page.held = true
  // Longer than readings of one kind are apart.
  const until = performance.now() + 1_000
  await expect
    .poll(() => {
      page.publish()
      return performance.now() > until
    })
    .toBe(true)
  expect(page.readings.slice(4).map(({ key, signal }) => [key, signal.aborted])).toEqual([
    ['counts', false],
    ['list', false],
  ])
  page.held = false
  for (const { answer } of page.readings) answer()
  await expect.poll(page.keys).toHaveLength(8)
})
