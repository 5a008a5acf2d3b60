import net, { type AddressInfo } from 'node:net'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './database.ts'

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
