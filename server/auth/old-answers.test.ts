import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { plansOf } from '#server/ledger/testing/plans-of.ts'
import { forgetOldAnswers } from './idempotency.ts'

let test: TestDatabase
let worker: Database
beforeAll(async () => {
  test = await createTestDatabase()
  worker = openDatabase(test.workerUrl)
})
afterAll(async () => {
  await worker?.close()
  await test?.drop()
})

it('answers that were kept long enough are found by their time, whatever else is kept', async () => {
  await onLedger(test.adminUrl, async (db) => {
    await db.query(sql`INSERT INTO idempotency_key (identity, key, endpoint, body_digest, created_at)
      SELECT 'owner', 'key-' || n, 'POST /', 'digest', clock_timestamp() - CASE WHEN n <= 3 THEN interval '8 days' ELSE interval '6 days' END
      FROM generate_series(1, 20000) n`)
    await db.query(sql`VACUUM ANALYZE idempotency_key`)
  })
  const [plan] = await plansOf(worker, () => forgetOldAnswers(worker))
  expect(plan).toContain('Index Scan using idempotency_key_created on idempotency_key')
  const { rows } = await onLedger(test.adminUrl, (db) =>
    db.query<{ kept: number }>(sql`SELECT count(*) AS kept FROM idempotency_key`),
  )
  expect(rows).toEqual([{ kept: 19_997 }])
})
