import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { StreamEvent } from './event-stream.ts'
import { LIVE_DEFAULTS, LiveConnection } from './live-connection.ts'

/** A real server of events: every request is kept, and the test says what is sent. */
type Reader = { request: IncomingMessage; response: ServerResponse }
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

async function streamServer(status = 200) {
  const readers: Reader[] = []
  const server = createServer((request, response) => {
    readers.push({ request, response })
    response.writeHead(status, { 'content-type': 'text/event-stream' })
    if (status === 200) response.write(': hello\n\n')
    else response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { readers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

function connect(url: string, more: Partial<typeof LIVE_DEFAULTS> = {}) {
  const calls = { resets: 0, signedOut: 0, again: 0 }
  const live = new LiveConnection(
    () => calls.resets++,
    () => calls.signedOut++,
    { ...LIVE_DEFAULTS, url, firstPauseMs: 5, longestPauseMs: 20, ...more },
  )
  open.push(() => live.close())
  const heard: StreamEvent[] = []
  live.listen(['job.status.changed'], (event) => (event ? heard.push(event) : calls.again++))
  live.open()
  return { live, calls, heard }
}

const send = (reader: Reader | undefined, id: number, topic: string) =>
  reader?.response.write(`id: ${id}\nevent: ${topic}\ndata: {"to":"QUEUED"}\n\n`)

it('hands events to those who asked for their topic', async () => {
  const { readers, url } = await streamServer()
  const { live, heard } = connect(url)
  await waitUntil(() => live.state === 'live')
  send(readers[0], 1, 'run.status.changed')
  send(readers[0], 2, 'job.status.changed')
  await waitUntil(() => heard.length > 0)
  expect(heard).toEqual([{ id: '2', topic: 'job.status.changed', to: 'QUEUED' }])
})

it('knows when an event came last, also of a topic that nobody has asked for', async () => {
  const { readers, url } = await streamServer()
  const { live, heard } = connect(url)
  await waitUntil(() => live.state === 'live')
  const before = Date.now()
  expect(live.latestOf(['run.status.changed', 'job.status.changed'])).toBe(0)
  send(readers[0], 1, 'run.status.changed')
  send(readers[0], 2, 'job.status.changed')
  await waitUntil(() => heard.length > 0)
  expect(live.latestOf(['run.status.changed', 'inbox.received'])).toBeGreaterThanOrEqual(before)
  expect(live.latestOf(['inbox.received'])).toBe(0)
})

it('comes back after a loss from the last event it had', async () => {
  const { readers, url } = await streamServer()
  const { live, heard } = connect(url)
  await waitUntil(() => readers.length === 1)
  send(readers[0], 7, 'job.status.changed')
  await waitUntil(() => heard.length === 1)
  readers[0]?.response.destroy()
  await waitUntil(() => readers.length === 2)
  expect(readers[0]?.request.headers['last-event-id']).toBeUndefined()
  expect(readers[1]?.request.headers['last-event-id']).toBe('7')
  await waitUntil(() => live.state === 'live')
})

it('waits longer each time for a stream that breaks right after it has opened', async () => {
  const pauses = vi.spyOn(globalThis, 'setTimeout')
  const { readers, url } = await streamServer()
  connect(url, { longestPauseMs: 500 })
  const broken = new Set<Reader>()
  const eighth = 5 * 2 ** 3
  await waitUntil(() => {
    for (const reader of readers) if (!broken.has(reader)) broken.add(reader) && reader.response.end()
    return pauses.mock.calls.some(([, ms = 0]) => ms >= eighth * 0.8 && ms <= eighth * 1.2)
  })
  expect(readers.length).toBeLessThan(8)
})

it('tells everybody to read again after a reset', async () => {
  const { readers, url } = await streamServer()
  const { calls } = connect(url)
  await waitUntil(() => calls.again === 1)
  send(readers[0], 9, 'reset')
  await waitUntil(() => calls.resets === 1)
  expect(calls.again).toBe(2)
})

it('reads once more when it begins, for what happened before, and not after a resume', async () => {
  const { readers, url } = await streamServer()
  const { calls, heard } = connect(url)
  await waitUntil(() => calls.again === 1)
  send(readers[0], 7, 'job.status.changed')
  await waitUntil(() => heard.length === 1)
  readers[0]?.response.destroy()
  await waitUntil(() => readers.length === 2)
  send(readers[1], 8, 'job.status.changed')
  await waitUntil(() => heard.length === 2)
  expect(calls.again).toBe(1)
})

it('does not believe a silent connection', async () => {
  const { readers, url } = await streamServer()
  connect(url, { silenceMs: 30 })
  await waitUntil(() => readers.length >= 2)
})

it('stops at an ended session instead of knocking again', async () => {
  const { readers, url } = await streamServer(401)
  const { calls } = connect(url)
  await waitUntil(() => calls.signedOut === 1)
  expect(readers).toHaveLength(1)
})

it('sends the header that tells our pages from foreign ones', async () => {
  const { readers, url } = await streamServer()
  connect(url)
  await waitUntil(() => readers.length === 1)
  expect(readers[0]?.request.headers['x-garden']).toBe('1')
})

it('stays closed when it was closed', async () => {
  const { readers, url } = await streamServer()
  const { live } = connect(url)
  await waitUntil(() => live.state === 'live')
  live.close()
  await waitUntil(() => readers[0]?.response.destroyed === true || readers[0]?.request.destroyed === true)
  expect([live.state, readers.length]).toEqual(['polling', 1])
})
