import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll, sealedAfter } from '#server/ledger/seal.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { EventStream, STREAM_BUFFER, type StreamParts } from './event-stream.ts'
import { EventTail, type Listener } from './event-tail.ts'
import { MAX_STREAMS } from './open-stream.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

let number = 0
type Outcome = 'ok' | 'refused' | 'error'
/** Writes so many events of a job and seals them. */
async function addEvents(count: number, name = 'job.status.update', outcome: Outcome = 'ok'): Promise<void> {
  for (let i = 0; i < count; i++) {
    const resource = { type: name.split('.')[0] as string, id: `subject-${++number}` }
    await recordEvent(gateway.services.db, { name, actor: SCHEDULER, resource, from: 'A', to: 'B', outcome })
  }
  await onLedger(gateway.ledger.workerUrl, sealAll)
  gateway.services.notifier.notify('sealed')
}

type Frame = { id: number; event: string; data: string }
/** Reads an answer's frames in the background; heartbeats and comments are not counted. */
function reading(body: ReadableStream<Uint8Array>) {
  const frames: Frame[] = []
  const state = { ended: false, lastId: '' }
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>
  const work = (async () => {
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const field = (name: string) =>
          part
            .split('\n')
            .find((l) => l.startsWith(`${name}: `))
            ?.slice(name.length + 2)
        if (field('id')) state.lastId = field('id') as string
        if (field('event'))
          frames.push({ id: Number(field('id')), event: field('event') as string, data: field('data') ?? '' })
      }
    }
    state.ended = true
  })()
  work.catch(() => {})
  return { frames, state, cancel: () => reader.cancel() }
}

async function open(query = '', headers: Record<string, string> = {}) {
  const session = await gateway.open({})
  const answer = await gateway.app.request(`/api/v1/events/stream${query}`, {
    headers: { ...(await gateway.page(session)), ...headers },
  })
  return { session, answer, read: () => reading(answer.body as ReadableStream<Uint8Array>) }
}

const quiet = (): Omit<StreamParts, 'tail'> => ({
  services: gateway.services,
  caller: { role: 'owner', identity: 'owner', via: 'console' },
  topics: null,
  visible: async (events) => events,
  signal: new AbortController().signal,
  beatMs: 60_000,
  onClose: () => {},
})

const head = async () =>
  (await gateway.services.db.query<{ seq: number }>(sql`SELECT seq FROM event_head`)).rows[0]?.seq ?? 0

describe('the event stream', () => {
  test('brings sealed events in order, with the fields of the contract and no more', async () => {
    const stream = (await open('?topics=job.status.changed')).read()
    await addEvents(3)
    await addEvents(1, 'access.refused')
    await addEvents(2)
    await waitUntil(() => stream.frames.length >= 5)
    const ids = stream.frames.map((frame) => frame.id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(Object.keys(JSON.parse(stream.frames[0]?.data as string)).sort()).toEqual([
      'from',
      'id',
      'resource',
      'summary',
      'to',
      'ts',
      'type',
    ])
    await stream.cancel()
  })

  test('tells of what went wrong and of the end of a sync, and of no refusal', async () => {
    const stream = (await open()).read()
    await waitUntil(() => stream.state.lastId)
    const recorded: readonly [string, Outcome][] = [
      ['worker.offline', 'error'],
      ['leadership.refused', 'refused'],
      ['breaker.opened', 'error'],
      ['breaker.closed', 'ok'],
      ['leadership.incident', 'error'],
      ['task.requeued', 'refused'],
      ['sync.failed', 'ok'],
      ['job.status.update', 'ok'],
    ]
    for (const [name, outcome] of recorded) await addEvents(1, name, outcome)
    await waitUntil(() => stream.frames.at(-1)?.event === 'job.status.changed')
    expect(stream.frames.map((frame) => frame.event)).toEqual([
      ...['worker.status.changed', 'worker.status.changed', 'worker.status.changed'],
      ...['leadership.changed', 'leadership.changed', 'job.status.changed'],
    ])
    await stream.cancel()
  })

  test('resumes after the last id without a gap or a duplicate, also while events keep coming', async () => {
    const from = await head()
    await addEvents(40)
    const writing = (async () => {
      for (let i = 0; i < 20; i++) await addEvents(5)
    })()
    const seen: number[] = []
    let lastId = String(from)
    while (seen.length < 140) {
      const stream = (await open('', { 'last-event-id': lastId })).read()
      const wanted = Math.min(140, seen.length + 23)
      await waitUntil(() => seen.length + stream.frames.length >= wanted)
      await stream.cancel()
      const taken = stream.frames.map((frame) => frame.id)
      seen.push(...taken)
      lastId = String(taken.at(-1))
    }
    await writing
    expect(seen).toEqual(Array.from({ length: 140 }, (_, i) => from + i + 1))
  })

  test.each([['not-a-number'], ['-1'], ['999999999999999'], ['1e3']])(
    'answers the id %s by a reset',
    async (id) => {
      const stream = (await open('', { 'last-event-id': id })).read()
      await waitUntil(() => stream.frames.length > 0)
      expect(stream.frames[0]).toMatchObject({ event: 'reset', id: await head() })
      await stream.cancel()
    },
  )

  test('answers an id of yesterday by a reset', async () => {
    const from = await head()
    await addEvents(2)
    await onLedger(gateway.ledger.adminUrl, (db) =>
      db.transaction(async (tx) => {
        await tx.query(sql`SET LOCAL session_replication_role = replica`)
        await tx.query(
          sql`UPDATE event_seal SET sealed_at = sealed_at - interval '24 hours' WHERE seq = ${from + 1}`,
        )
      }),
    )
    const stream = (await open('', { 'last-event-id': String(from) })).read()
    await waitUntil(() => stream.frames.length > 0)
    expect(stream.frames[0]?.event).toBe('reset')
    await stream.cancel()
  })

  test('goes with the session it was opened by', async () => {
    const { session, read } = await open()
    const stream = read()
    await waitUntil(() => stream.state.lastId)
    await gateway.app.request('/api/v1/auth/logout', {
      method: 'POST',
      headers: await gateway.page(session),
      body: '{}',
    })
    await waitUntil(() => stream.state.ended)
  })

  test('is given eight times to one identity, and again when one has gone', async () => {
    const streams = await Promise.all(Array.from({ length: MAX_STREAMS }, () => open()))
    expect(streams.map(({ answer }) => answer.status)).toEqual(Array(MAX_STREAMS).fill(200))
    const more = await open()
    expect(more.answer.status).toBe(429)
    const readers = streams.map(({ read }) => read())
    await readers[0]?.cancel()
    const again = await open()
    expect(again.answer.status).toBe(200)
    await Promise.all([...readers.slice(1), again.read()].map((reader) => reader.cancel()))
  })

  test('refuses topics that do not exist', async () => {
    expect((await open('?topics=secrets')).answer.status).toBe(422)
  })

  test('sends an event once that both its own reading and the tail bring', async () => {
    const { services } = gateway
    await addEvents(5)
    const end = await head()
    let listener: Listener | null = null
    const tail = {
      ready: async () => {},
      at: end - 3,
      listen: (joined: Listener) => {
        listener = joined
        return () => {}
      },
    } as unknown as EventTail
    const stream = new EventStream({ ...quiet(), tail })
    await stream.begin(String(end - 5))
    const seen = reading(stream.body)
    ;(listener as Listener | null)?.take(await sealedAfter(services.db, end - 3, 10))
    await addEvents(1)
    ;(listener as Listener | null)?.take(await sealedAfter(services.db, end - 1, 10))
    await waitUntil(() => seen.frames.at(-1)?.id === end + 1)
    expect(seen.frames.map((frame) => frame.id)).toEqual([-4, -3, -2, -1, 0, 1].map((n) => end + n))
    stream.close()
  })

  test('keeps no more than its buffer for a reader that does not read, then says reset', async () => {
    const { services } = gateway
    const tail = new EventTail(services)
    let closed = 0
    const parts: StreamParts = { ...quiet(), tail, onClose: () => closed++ }
    const stream = new EventStream(parts)
    const from = await head()
    await stream.begin(null)
    await services.db.query(sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id)
      SELECT 'job.status.update', 'scheduler', 'service', 'job', i::text FROM generate_series(1, ${STREAM_BUFFER + 500}) i`)
    await addEvents(1)
    await waitUntil(() => tail.at >= from + STREAM_BUFFER + 501)
    const slow = reading(stream.body)
    await waitUntil(() => slow.frames.at(-1)?.event === 'reset')
    expect(slow.frames.length).toBeLessThanOrEqual(STREAM_BUFFER + 1)
    await addEvents(1)
    await waitUntil(() => slow.frames.at(-1)?.event === 'job.status.changed')
    stream.close()
    expect(closed).toBe(1)
  })
})
