import sql from 'sql-template-tag'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { openDatabase } from './database.ts'

const HOUR_MS = 3_600_000

test('a connection stays once it is made, and there are no more than were allowed', async () => {
  const ledger = await createTestDatabase()
  const database = openDatabase(ledger.url, { connections: 3 })
  onTestFinished(async () => {
    vi.useRealTimers()
    await database.close()
    await ledger.drop()
  })
  const pids = async () => {
    const asked = Array.from({ length: 5 }, () =>
      database.query<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`),
    )
    return new Set((await Promise.all(asked)).map(({ rows }) => rows[0]?.pid))
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const before = await pids()
  expect(before.size).toBe(3)
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(await pids()).toEqual(before)
})
