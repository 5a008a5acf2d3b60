import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Notifier, openNotifier } from './notifier.ts'

let test: TestDatabase
let here: Notifier
let there: Notifier
beforeAll(async () => {
  test = await createTestDatabase()
  here = openNotifier(test.url)
  there = openNotifier(test.url)
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
        `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'garden-bloom-notifier' AND datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'`,
      )
      return Number(rows[0]?.n) >= count
    },
    { what: 'listeners' },
  )

describe('notifications', () => {
  it('reach the own process at once, without any connection', async () => {
    let received = 0
    const off = here.on('jobs', () => received++)
    here.notify('jobs')
    expect(received).toBe(1)
    off()
    here.notify('jobs')
    expect(received).toBe(1)
  })

  it('reach another process, by topic', async () => {
    await waitUntil(async () => receivedAfter('runs'), { what: 'a notification from the other process' })
    let wrong = 0
    const off = there.on('inbox', () => wrong++)
    await waitUntil(async () => receivedAfter('runs'), { what: 'a notification of another topic' })
    off()
    expect(wrong).toBe(0)
  })

  it('come back after the connection was ended, and everybody looks once', async () => {
    await listening(0)
    let looked = 0
    const off = there.on('apply', () => looked++)
    await admin(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'garden-bloom-notifier' AND datname = current_database()`,
    )
    await waitUntil(() => looked > 0, { what: 'the look after reconnecting' })
    off()
    await waitUntil(async () => receivedAfter('events'), { what: 'a notification after reconnecting' })
  })

  it('close while the server refuses to answer', async () => {
    const nowhere = openNotifier('postgres://nobody:x@127.0.0.1:1/none')
    nowhere.notify('jobs')
    await nowhere.close()
  })
})

/** Sends one notification from here; true when it arrived there within a moment. */
async function receivedAfter(topic: 'runs' | 'events'): Promise<boolean> {
  let off = () => {}
  const received = new Promise<boolean>((resolve) => {
    off = there.on(topic, () => resolve(true))
  })
  here.notify(topic)
  const patience = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), 250)
  })
  const outcome = await Promise.race([received, patience])
  off()
  return outcome
}
