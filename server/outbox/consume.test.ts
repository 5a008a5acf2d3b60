/** Who works for a consumer, and whose work counts [outbox#how-it-works]. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { lastSeal, type SealedEvent, sealAll } from '#server/ledger/seal.ts'
import { consume } from './consume.ts'

const NAME = 'projector'

let test: TestDatabase
let database: Database
beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.workerUrl)
})
beforeEach(async () => {
  const resource = { type: 'session', id: 's' }
  for (let n = 0; n < 3; n++) await recordEvent(database, { name: 'auth.login', actor: GATEWAY, resource })
  await sealAll(database)
})
afterAll(async () => {
  await database?.close()
  await test?.drop()
})

const consumer = async () => {
  const { rows } = await database.query<{ seq: number; lease_holder: string | null }>(
    sql`SELECT seq, lease_holder FROM consumer WHERE name = ${NAME}`,
  )
  return rows[0]
}
const expire = () =>
  database.query(
    sql`UPDATE consumer SET lease_expires_at = clock_timestamp() - interval '1 minute' WHERE name = ${NAME}`,
  )
const at = (holder: string, handle: (events: SealedEvent[]) => Promise<void> = async () => {}) =>
  consume(database, { name: NAME, holder, handle })

/** A process that is in the middle of its batch until it may end. */
async function slow(holder: string): Promise<{ end(): Promise<number> }> {
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = at(holder, async () => {
    begun.resolve()
    await mayEnd.promise
  })
  await Promise.race([begun.promise, done])
  return {
    end: () => {
      mayEnd.resolve()
      return done
    },
  }
}

it('goes on when each of two processes takes longer for a batch than its lease', async () => {
  const first = await slow('first')
  await expire()
  const second = await slow('second')
  expect(await first.end()).toBeGreaterThan(0)
  expect(await consumer()).toEqual({ seq: await lastSeal(database), lease_holder: 'second' })
  expect(await second.end()).toBe(0)
  expect(await consumer()).toEqual({ seq: await lastSeal(database), lease_holder: 'second' })
  await expire()
})

it('does not prolong the lease of the process that took over', async () => {
  const first = await slow('first')
  await expire()
  const second = await slow('second')
  await expire()
  await first.end()
  const { rows } = await database.query(
    sql`SELECT lease_expires_at < clock_timestamp() AS over FROM consumer WHERE name = ${NAME}`,
  )
  expect(rows).toEqual([{ over: true }])
  await second.end()
  await expire()
})

it('counts nothing of a process that ends late, when others have gone on since', async () => {
  const late = await slow('first')
  await expire()
  expect(await at('second')).toBe(3)
  const position = await consumer()
  expect(await late.end()).toBe(0)
  expect(await consumer()).toEqual(position)
})

it('is taken for others as long as the lease lasts', async () => {
  await expire()
  const working = await slow('first')
  expect(await at('second')).toBe(0)
  expect(await working.end()).toBe(3)
})
