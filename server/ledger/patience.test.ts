import net, { type AddressInfo } from 'node:net'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { openDatabase, sqlState } from './database.ts'

const QUERY_CANCELED = '57014'

test('a server that takes connections and says nothing fails whoever asks it, after the given patience', async () => {
  const silent = net.createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const database = openDatabase(`postgresql://a:b@127.0.0.1:${port}/c`, { connections: 1, patienceMs: 50 })
  onTestFinished(async () => {
    await database.close()
    silent.close()
  })
  const asked = Array.from({ length: 3 }, () => database.query(sql`SELECT 1`))
  for (const one of await Promise.allSettled(asked)) expect(one.status).toBe('rejected')
  await expect(database.transaction(async () => {})).rejects.toThrow(/timeout/)
})

test('a statement that is given up is given up by the server, too', async () => {
  const ledger = await createTestDatabase()
  const database = openDatabase(ledger.adminUrl, { connections: 1, patienceMs: 3_000 })
  onTestFinished(async () => {
    await database.close()
    await ledger.drop()
  })
  const slow = database.query(sql`CREATE TABLE late AS SELECT 1 AS one FROM pg_sleep(60)`)
  expect(sqlState(await slow.catch((error) => error))).toBe(QUERY_CANCELED)
  const { rows } = await database.query(sql`SELECT to_regclass('late') AS late`)
  expect(rows).toEqual([{ late: null }])
})
