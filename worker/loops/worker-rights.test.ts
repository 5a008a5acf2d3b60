import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createServices } from '#server/composition/create-services.ts'
import { reportRights } from '#server/composition/report-rights.ts'
import { testEnv } from '#server/http/testing/gateway.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { makeGarden } from '#server/proposals/testing/garden-kit.ts'
import { workerLoops } from './all-loops.ts'

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
