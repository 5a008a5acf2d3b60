import { rm } from 'node:fs/promises'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createServices } from '#server/composition/create-services.ts'
import { reportRights } from '#server/composition/report-rights.ts'
import { testEnv } from '#server/http/testing/gateway.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { makeGarden, OWNER } from '#server/proposals/testing/garden-kit.ts'
import { workerLoops } from './all-loops.ts'
import { startLoop } from './loop.ts'
import { sealerLoop } from './sealer.loop.ts'

let database: TestDatabase
let home: string
let services: Awaited<ReturnType<typeof createServices>>

beforeAll(async () => {
  ;[database, home] = await Promise.all([createTestDatabase(), makeGarden()])
  const env = testEnv(database.workerUrl, { BLOOM_HOME: home, LOG_LEVEL: 'silent' })
  services = await createServices({ env, service: 'worker' })
})
afterAll(async () => {
  await services?.close()
  await database?.drop()
  await rm(home, { recursive: true, force: true })
})

test('every loop of the worker does its round with the rights of the worker', async () => {
  const abort = new AbortController()
  const loops = workerLoops(services, 'host:1:test')
  const outcomes: Record<string, string> = {}
  for (const loop of loops)
    outcomes[loop.name] = await loop.tick(abort.signal, () => {}).catch((error: Error) => error.message)
  for (const loop of [...loops].reverse()) await loop.after?.()
  expect(Object.keys(outcomes)).toHaveLength(loops.length)
  expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== 'idle' && outcome !== 'again')).toEqual(
    [],
  )
})

test('a worker that starts looks whether all works before its other loops begin', () => {
  const loops = workerLoops(services, 'host:1:test')
  const atOnce = loops.filter(({ firstAfterMs = 0 }) => firstAfterMs === 0).map(({ name }) => name)
  expect(atOnce).toEqual(['worker-presence', 'sealer', 'health'])
})

test('an event is sealed without the scan of the sealer, whoever records it', async () => {
  const { db } = services
  const counted = async () => {
    const { rows } = await db.query<{ events: number; sealed: number }>(
      sql`SELECT (SELECT count(*)::int FROM event) AS events, (SELECT count(*)::int FROM event_seal) AS sealed`,
    )
    return rows[0] as { events: number; sealed: number }
  }
  const allSealed = async (least: number) => {
    const { events, sealed } = await counted()
    return sealed === events && sealed >= least
  }
  const sealer = startLoop({ ...sealerLoop(services), everyMs: 3_600_000 }, services)
  const writers = [
    () => recordEvent(db, { name: 'auth.login', actor: OWNER, resource: { type: 'session', id: 's' } }),
    () => submitJob(db, { job_type: 'RESEARCH', agent_slug: 'gardener', payload: { query: 'Why?' } }, OWNER),
  ]
  for (const write of writers) {
    await waitUntil(() => allSealed(0))
    const { events } = await counted()
    await write()
    await waitUntil(() => allSealed(events + 1))
  }
  await sealer.stop()
})

test.each([
  ['workerUrl', null],
  ['webUrl', null],
  ['url', /_owner owns the tables, may create objects: that is more/],
  [
    'adminUrl',
    /bloom is a superuser, owns the tables, may create roles or databases, may create objects: that is more/,
  ],
] as const)('a process says at its start what its role may do besides (%s)', async (account, said) => {
  const db = openDatabase(database[account], { connections: 1 })
  const log = { warn: vi.fn() }
  await reportRights({ db, log } as unknown as Parameters<typeof reportRights>[0])
  await db.close()
  expect(log.warn.mock.calls.map(([, text]) => text)).toEqual(said ? [expect.stringMatching(said)] : [])
})

test('a ledger that does not answer yet is not this report’s to tell', async () => {
  const db = openDatabase('postgresql://nobody:x@127.0.0.1:1/none')
  const log = { warn: vi.fn() }
  await reportRights({ db, log } as unknown as Parameters<typeof reportRights>[0])
  await db.close()
  expect(log.warn).not.toHaveBeenCalled()
})
