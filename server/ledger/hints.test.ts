import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Hints, openHints } from './hints.ts'

let test: TestDatabase
let here: Hints
let there: Hints
beforeAll(async () => {
  test = await createTestDatabase()
  here = openHints(test.url)
  there = openHints(test.url)
})
afterAll(async () => {
  await here?.close()
  await there?.close()
  await test?.drop()
})

async function admin<T extends pg.QueryResultRow>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: test.url })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

/** Both listen: seen from the server, whose word counts. */
const listening = (count: number) =>
  waitUntil(
    async () => {
      const rows = await admin<{ n: string }>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'garden-bloom-hints' AND datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'`,
      )
      return Number(rows[0]?.n) >= count
    },
    { what: 'listeners' },
  )

describe('hints', () => {
  it('reach the own process at once, without any connection', async () => {
    let heard = 0
    const off = here.on('jobs', () => heard++)
    here.hint('jobs')
    expect(heard).toBe(1)
    off()
    here.hint('jobs')
    expect(heard).toBe(1)
  })

  it('reach another process, by topic', async () => {
    await waitUntil(async () => heardAfter('runs'), { what: 'a hint from the other process' })
    let wrong = 0
    const off = there.on('inbox', () => wrong++)
    await waitUntil(async () => heardAfter('runs'), { what: 'a hint of another topic' })
    off()
    expect(wrong).toBe(0)
  })

  it('come back after the connection was ended, and everybody looks once', async () => {
    await listening(0)
    let looked = 0
    const off = there.on('apply', () => looked++)
    await admin(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'garden-bloom-hints' AND datname = current_database()`,
    )
    await waitUntil(() => looked > 0, { what: 'the look after reconnecting' })
    off()
    await waitUntil(async () => heardAfter('events'), { what: 'a hint after reconnecting' })
  })

  it('close while the server refuses to answer', async () => {
    const nowhere = openHints('postgres://nobody:x@127.0.0.1:1/none')
    nowhere.hint('jobs')
    await nowhere.close()
  })
})

/** Sends one hint from here; true when it was heard there within a moment. */
async function heardAfter(topic: 'runs' | 'events'): Promise<boolean> {
  let off = () => {}
  const heard = new Promise<boolean>((resolve) => {
    off = there.on(topic, () => resolve(true))
  })
  here.hint(topic)
  const patience = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), 250)
  })
  const outcome = await Promise.race([heard, patience])
  off()
  return outcome
}
