import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { openDatabase } from './database.ts'
import { prepared } from './prepared.ts'

test('a statement that a migration made stale is prepared anew, at the price of one transaction', async () => {
  const ledger = await createTestDatabase()
  const database = openDatabase(ledger.adminUrl, { connections: 2 })
  onTestFinished(async () => {
    await database.close()
    await ledger.drop()
  })
  const whole = (db: Pick<typeof database, 'query'>) => db.query(prepared(sql`SELECT * FROM migrated`))
  const inBoth = () => Promise.allSettled([1, 2].map(() => database.transaction(whole)))
  const statuses = async () => (await inBoth()).map(({ status }) => status)

  await database.query(sql`CREATE TABLE migrated AS SELECT 1 AS first`)
  expect(await statuses()).toEqual(['fulfilled', 'fulfilled'])

  await database.query(sql`ALTER TABLE migrated ADD COLUMN second int DEFAULT 2`)
  expect((await whole(database)).rows).toEqual([{ first: 1, second: 2 }])
  expect(await statuses()).toEqual(['fulfilled', 'fulfilled'])

  await database.query(sql`ALTER TABLE migrated ADD COLUMN third int DEFAULT 3`)
  await expect(database.transaction(whole)).rejects.toThrow('cached plan must not change result type')
  expect(await statuses()).toEqual(['fulfilled', 'fulfilled'])
  expect((await whole(database)).rows).toEqual([{ first: 1, second: 2, third: 3 }])
})
