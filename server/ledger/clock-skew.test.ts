import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { clockSkewMs, databaseNow, NOTABLE_SKEW_MS, skewInWords } from './clock-skew.ts'
import { type Database, openDatabase } from './database.ts'

let made: TestDatabase
let database: Database
beforeAll(async () => {
  made = await createTestDatabase()
  database = openDatabase(made.url)
})
afterAll(async () => {
  await database.close()
  await made.drop()
})

test.each([-3600_000, 0, 3600_000])('a clock that is %i ms away is measured so', async (away) => {
  const skew = await clockSkewMs(database, () => Date.now() + away)
  expect(Math.abs(skew - away)).toBeLessThan(NOTABLE_SKEW_MS)
})

test('the time of the database moves on', async () => {
  const first = await databaseNow(database)
  expect((await databaseNow(database)).getTime()).toBeGreaterThanOrEqual(first.getTime())
})

test.each([
  [NOTABLE_SKEW_MS, null],
  [-NOTABLE_SKEW_MS, null],
  [5_600, "6 s ahead of the database's clock"],
  [-3600_000, "3600 s behind the database's clock"],
])('%i ms in words', (skew, words) => {
  expect(skewInWords(skew)).toBe(words)
})
