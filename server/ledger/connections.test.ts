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

test('no statement starts processes to help it, nor compiles what it does', async () => {
  const ledger = await createTestDatabase()
  const database = openDatabase(ledger.url)
  onTestFinished(async () => {
    await database.close()
    await ledger.drop()
  })
  const many = sql`SELECT count(*) AS n FROM generate_series(1, 10) n, pg_class, pg_attribute`
  await database.transaction(async (tx) => {
    // However cheap helpers are said to be and however costly the statement: none are planned.
    await tx.query(sql`SELECT set_config(name, '0', true) FROM unnest(ARRAY['parallel_setup_cost', 'parallel_tuple_cost',
      'min_parallel_table_scan_size', 'min_parallel_index_scan_size', 'jit_above_cost']) name`)
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${many}`)
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Workers|JIT/)
  })
})
