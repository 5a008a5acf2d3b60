import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NlmJobView } from '#contracts/research.contract.ts'
import { type Caller, NLM_BACKEND, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { signBody } from '#server/outbound/callback-signature.ts'
import { pollBackend } from './backend-call.ts'
import { reapLeases } from './leases.ts'
import { PROCESS_SECONDS } from './nlm-client.ts'
import { receiveCallback, receiveStatus } from './receive-callback.ts'
import { failPermanently, releaseJobs } from './retry.ts'
import {
  addJob,
  call,
  complete,
  endBackoff,
  eventsOf,
  expireLeases,
  jobLine,
  openRoom,
  type Room,
} from './testing/queue-room.ts'

const KEY = 's'.repeat(43)
let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room?.close())

type Sent = {
  id?: string
  body?: object
  at?: Date
  key?: string
  path?: string
  unsigned?: boolean
  caller?: Caller
}
const FAILED = (code: string) => ({ status: 'FAILED', error: { code, message: 'so it was' } })

function callback(jobId: string, sent: Sent = {}, env = { CALLBACK_ALLOW_UNSIGNED: false }) {
  return receiveCallback(
    { ...room.web, env: { MEMBRIDGE_CALLBACK_SIGNING_KEY: KEY, ...env } },
    messageOf(jobId, sent),
  )
}
const statusReport = (jobId: string, body: object, sent: Sent = {}) =>
  receiveStatus(
    { ...room.web, env: { MEMBRIDGE_CALLBACK_SIGNING_KEY: KEY, CALLBACK_ALLOW_UNSIGNED: false } },
    messageOf(jobId, { ...sent, body }),
  )

function messageOf(jobId: string, sent: Sent) {
  const body = JSON.stringify(sent.body ?? { job_id: jobId, ...FAILED('RATE_LIMIT') })
  const headers = sent.unsigned
    ? {}
    : signBody(sent.key ?? KEY, sent.id ?? `msg_${randomUUID()}`, sent.at ?? new Date(), body)
  return { jobId: sent.path ?? jobId, headers, body: Buffer.from(body), caller: sent.caller ?? NLM_BACKEND }
}

/** A backend that says this of every work it is asked about, and counts the questions. */
function backend(view: Partial<NlmJobView> | null | undefined) {
  const asked: string[] = []
  return {
    asked,
    job: async (job_id: string) => {
      asked.push(job_id)
      return view ? ({ job_id, state: 'NLM_QUERY', phase_ms: {}, ...view } as NlmJobView) : view
    },
  }
}
const dueNow = async (id: string) =>
  (await room.db.query(sql`SELECT 1 FROM job WHERE job_id = ${id} AND poll_at <= clock_timestamp()`)).rows
    .length === 1

describe('a callback', () => {
  it('moves nothing itself; the backend is asked, and its answer moves the job', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    expect(await callback(id)).toMatchObject({ ok: true })
    expect((await jobLine(room.db, id)).status).toBe('NOTEBOOKLM_CALL')
    const nlm = backend({ state: 'ERROR', error: { code: 'RATE_LIMIT', message: 'slow down' } })
    await pollBackend(room, nlm)
    expect(nlm.asked).toContain(id)
    expect(await jobLine(room.db, id)).toMatchObject({
      status: 'RETRY_BACKOFF',
      error: { code: 'RATE_LIMIT' },
    })
  })

  it.each([
    ['forgot the job', null],
    ['does not answer', undefined],
  ])('settles the attempt by its code when the backend %s', async (_, view) => {
    const cases = {
      RATE_LIMIT: 'RETRY_BACKOFF',
      STRUCTURE_ERROR: 'RETRY_BACKOFF',
      VALIDATION_ERROR: 'FAILED',
    }
    for (const [code, status] of Object.entries(cases)) {
      const id = await addJob(room.db)
      await call(room, id)
      await callback(id, { body: { job_id: id, ...FAILED(code) } })
      await pollBackend(room, backend(view))
      expect(await jobLine(room.db, id)).toMatchObject({ status, error: { code, message: 'so it was' } })
    }
  })

  it('without a signature is taken only where the setting allows it, and a wrong one never', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    expect(await callback(id, { unsigned: true })).toMatchObject({ refusal: { code: 'AUTH_REQUIRED' } })
    const allowed = { CALLBACK_ALLOW_UNSIGNED: true }
    expect(await callback(id, { key: 'x'.repeat(43) }, allowed)).toMatchObject({
      refusal: { code: 'AUTH_REQUIRED' },
    })
    expect(await dueNow(id)).toBe(false)
    expect(await callback(id, { unsigned: true }, allowed)).toMatchObject({ ok: true })
    expect(await dueNow(id)).toBe(true)
  })

  it('of an earlier try, come after the next has begun, changes nothing', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    await expireLeases(room.db, [id])
    await reapLeases(room)
    await endBackoff(room.db, id)
    await releaseJobs(room.db)
    const now = await call(room, id)
    await callback(id, { body: { job_id: id, ...FAILED('VALIDATION_ERROR') } })
    await pollBackend(room, backend({ state: 'NLM_QUERY' }))
    // The report was told to be of another attempt; a backend that forgets the job later does not bring it back.
    await callback(id, { body: { job_id: id, status: 'COMPLETE' } })
    await pollBackend(room, backend(undefined))
    expect(await jobLine(room.db, id)).toMatchObject({ status: 'NOTEBOOKLM_CALL', fence: now.fence })
    expect(await complete(room, now)).toBe(true)
  })

  it('has one effect in a hundred copies', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    const copies = await Promise.all(
      Array.from({ length: 100 }, () => callback(id, { id: `msg_same_${id}` })),
    )
    expect(copies.every((c) => c.ok)).toBe(true)
    expect(await dueNow(id)).toBe(true)
    await pollBackend(room, backend({ state: 'NLM_QUERY' }))
    await callback(id, { id: `msg_same_${id}` })
    expect(await dueNow(id)).toBe(false)
  })

  it('is a report of the NotebookLM Backend alone; another component is refused and recorded', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    const refused = await callback(id, { caller: ORCHESTRATION_LAYER })
    expect(refused).toMatchObject({ refusal: { code: 'AUTHORITY_VIOLATION' } })
    expect(await dueNow(id)).toBe(false)
    const events = await eventsOf(room.db, id)
    expect(
      events.filter(({ name, outcome }) => name === 'access.refused' && outcome === 'refused'),
    ).toHaveLength(1)
  })

  it('for a job that is done or unknown is answered and changes nothing', async () => {
    const id = await addJob(room.db)
    await complete(room, await call(room, id))
    const before = await jobLine(room.db, id)
    expect(await callback(id)).toMatchObject({ ok: true })
    expect(await callback(randomUUID())).toMatchObject({ ok: true })
    expect(await jobLine(room.db, id)).toEqual(before)
  })

  it.each([
    ['another key', { key: 'x'.repeat(43) }, 'AUTH_REQUIRED'],
    ['an age of six minutes', { at: new Date(Date.now() - 360_000) }, 'AUTH_REQUIRED'],
    ['a time six minutes ahead', { at: new Date(Date.now() + 360_000) }, 'AUTH_REQUIRED'],
    ['another job in its address', { path: randomUUID() }, 'VALIDATION_FAILED'],
    ['a body of another form', { body: { status: 'DONE' } }, 'VALIDATION_FAILED'],
  ])('with %s is refused without a trace', async (_what, sent, code) => {
    const id = await addJob(room.db)
    await call(room, id)
    expect(await callback(id, { id: `msg_bad_${id}`, ...sent })).toMatchObject({
      ok: false,
      refusal: { code },
    })
    expect(await dueNow(id)).toBe(false)
    const { rows } = await room.web.db.query(
      sql`SELECT 1 FROM job_callback WHERE message_id = ${`msg_bad_${id}`}`,
    )
    expect(rows).toEqual([])
  })
})

describe('without any callback', () => {
  const silent = async () => {
    const id = await addJob(room.db)
    await call(room, id)
    await room.db.query(sql`UPDATE job SET poll_at = clock_timestamp() WHERE job_id = ${id}`)
    return id
  }

  it('the backend is not asked while the call itself may wait for its answer, and every 10 s from then on', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    const pass = (seconds: number) =>
      room.db.query(
        sql`UPDATE job SET poll_at = poll_at - make_interval(secs => ${seconds}) WHERE job_id = ${id}`,
      )
    await pass(PROCESS_SECONDS)
    const nlm = backend(null)
    await pollBackend(room, nlm)
    expect(nlm.asked).not.toContain(id)
    expect((await jobLine(room.db, id)).status).toBe('NOTEBOOKLM_CALL')
    for (let n = 1; n <= 2; n++) {
      await pass(10)
      const working = backend({ state: 'NLM_QUERY' })
      await pollBackend(room, working)
      expect(working.asked).toContain(id)
    }
  })

  it.each([
    ['does not know the work', null, 'RETRY_BACKOFF', 'NLM_UNAVAILABLE'],
    ['finished, but nothing arrived', { state: 'DONE' }, 'RETRY_BACKOFF', 'NLM_UNAVAILABLE'],
    [
      'found the payload invalid',
      { state: 'ERROR', error: { code: 'VALIDATION_ERROR', message: 'no' } },
      'FAILED',
      'VALIDATION_ERROR',
    ],
    [
      'could not structure the answer',
      { state: 'ERROR', error: { code: 'STRUCTURE_ERROR', message: 'no' } },
      'RETRY_BACKOFF',
      'STRUCTURE_ERROR',
    ],
  ])('the poll finds that the backend %s', async (_what, view, status, code) => {
    const id = await silent()
    await pollBackend(room, backend(view as Partial<NlmJobView> | null))
    expect(await jobLine(room.db, id)).toMatchObject({ status, error: { code } })
  })

  it('addresses that the backend would not reach are recorded once, with the job that named them', async () => {
    const id = await silent()
    const refused = [{ origin: 'https://elsewhere.example', reason: 'redirect' }]
    const view = { state: 'ERROR', error: { code: 'VALIDATION_ERROR', message: 'no', refused } } as const
    await Promise.all([pollBackend(room, backend(view)), pollBackend(room, backend(view))])
    await room.db.query(sql`UPDATE job SET poll_at = clock_timestamp() WHERE job_id = ${id}`)
    await pollBackend(room, backend(view))
    expect((await jobLine(room.db, id)).status).toBe('FAILED')
    const late = { code: 'VALIDATION_ERROR', message: 'no', refused } as const
    expect(await failPermanently(room.db, { job_id: id, fence: 1 }, late)).toBe(false)
    const { rows } = await room.db.query<{ details: object }>(
      sql`SELECT details FROM event WHERE name = 'access.refused' AND resource_id = ${id}`,
    )
    expect(rows).toEqual([{ details: { addresses: refused, count: 1 } }])
  })

  it('addresses that it would not deliver to are recorded with the backoff', async () => {
    const id = await silent()
    const [store, callback] = ['https://store.example', 'https://gateway.example'].map((origin) => ({
      origin,
      reason: 'address',
    }))
    const error = { code: 'NLM_UNAVAILABLE', message: 'no', refused: [store] }
    await pollBackend(room, backend({ state: 'ERROR', error, refused: [callback] } as Partial<NlmJobView>))
    expect((await jobLine(room.db, id)).status).toBe('RETRY_BACKOFF')
    const { rows } = await room.db.query<{ details: object }>(
      sql`SELECT details FROM event WHERE name = 'access.refused' AND resource_id = ${id}`,
    )
    expect(rows).toEqual([{ details: { addresses: [store, callback], count: 2 } }])
  })

  it('a backend that cannot be reached leaves the job to its limit', async () => {
    const id = await silent()
    await pollBackend(room, backend(undefined))
    expect((await jobLine(room.db, id)).status).toBe('NOTEBOOKLM_CALL')
    expect(await dueNow(id)).toBe(false)
  })
})

describe('a report on the way', () => {
  it('of a failure settles the attempt like the callback', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    expect(await statusReport(id, { status: 'FAILED', code: 'VALIDATION_ERROR' })).toMatchObject({ ok: true })
    expect((await jobLine(room.db, id)).status).toBe('NOTEBOOKLM_CALL')
    await pollBackend(room, backend(null))
    expect(await jobLine(room.db, id)).toMatchObject({ status: 'FAILED', failure_kind: 'invalid' })
  })

  it('of a phase is one event of a job that is being worked on', async () => {
    const id = await addJob(room.db)
    await statusReport(id, { phase: 'NLM_QUERY' })
    await call(room, id)
    const before = await eventsOf(room.db, id)
    for (const copy of [1, 2, 3])
      expect(
        await statusReport(id, { phase: 'NLM_QUERY' }, { id: `msg_phase_${id}` }),
        `${copy}`,
      ).toMatchObject({ ok: true })
    expect((await eventsOf(room.db, id)).length).toBe(before.length + 1)
    expect((await jobLine(room.db, id)).status).toBe('NOTEBOOKLM_CALL')
  })

  it.each([
    ['another status', { status: 'COMPLETE' }, 'VALIDATION_FAILED'],
    ['an unknown code', { status: 'FAILED', code: 'OTHER' }, 'VALIDATION_FAILED'],
    ['a wrong key', { phase: 'NLM_QUERY' }, 'AUTH_REQUIRED'],
  ])('with %s is refused', async (what, body, code) => {
    const sent = what === 'a wrong key' ? { key: 'x'.repeat(43) } : {}
    expect(await statusReport(await addJob(room.db), body, sent)).toMatchObject({ refusal: { code } })
  })
})
