import sql from 'sql-template-tag'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { PLANNED_AGAIN } from '#server/ledger/replanning-client.ts'
import { openWatched, type WatchedDatabase } from '#server/ledger/testing/executed-plans.ts'
import { addAgents, believeAll, fillHistory, historyReads, liveBriefly } from './testing/queue-plans.ts'

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

/** A ledger with agents alone, and connections to it that know no plans yet. */
async function openLedger(): Promise<{ database: Database; watch(): WatchedDatabase }> {
  const test = await createTestDatabase()
  closing.push(test.drop)
  const keep = <D extends Database>(database: D): D => {
    closing.push(database.close)
    return database
  }
  const database = keep(openDatabase(test.adminUrl))
  await addAgents(database)
  return { database, watch: () => keep(openWatched(test.adminUrl)) }
}

describe('no statement of the queue reads history', () => {
  it('beside 100 000 jobs that are done, whatever its statistics say', async () => {
    const { database, watch } = await openLedger()
    await fillHistory(database, 100_000)
    expect((await historyReads(watch())).join('\n'), 'without statistics').toBe('')
    await database.query(sql`ANALYZE job, event, event_seal`)
    expect((await historyReads(watch())).join('\n'), 'with those of now').toBe('')
    for (const status of ['PENDING', 'QUEUED'] as const) {
      await believeAll(database, status)
      expect((await historyReads(watch())).join('\n'), `with those of a burst of ${status}`).toBe('')
    }
  })

  it('when it was planned for an empty ledger, once it was planned again', async () => {
    const { database, watch } = await openLedger()
    await database.query(sql`ANALYZE`)
    const early = watch()
    const live = async (times: number) => {
      for (let life = 0; life < times; life++) await liveBriefly(early)
    }
    const [uses = 0] = PLANNED_AGAIN
    await live(uses - 1)
    await fillHistory(database, 5_000)
    // The statements come to the number; the uses of their connections double.
    await live(uses)
    expect((await historyReads(early, 1)).join('\n')).toBe('')
  })
})
