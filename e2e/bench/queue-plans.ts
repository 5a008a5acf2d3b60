/**
 * The plans of the queue's statements beside a long history, ROWS jobs (1 000 000) that are done: scans that read of it are counted and named,
 * and there are to be none. The tests ask the same beside 100 000.
 */
import sql from 'sql-template-tag'
import { addAgents, believeAll, fillHistory, historyReads } from '#server/jobs/testing/queue-plans.ts'
import { openWatched } from '#server/ledger/testing/executed-plans.ts'
import type { Figures } from './figures.ts'
import { openStage } from './queue-stage.ts'

const ROWS = Number(process.env.ROWS ?? 1_000_000)

export async function benchQueuePlans(figures: Figures): Promise<void> {
  const stage = await openStage({ fsync: 'off', max_wal_size: '4GB' })
  const check = async (statistics: string) => {
    const watched = openWatched(stage.url)
    const reads = await historyReads(watched).finally(() => watched.close())
    for (const read of reads) figures.note(`${statistics}: ${read}`)
    figures.add(`beside ${ROWS} jobs, ${statistics}`, reads.length, { unit: 'scans', aim: { most: 0 } })
  }
  try {
    await addAgents(stage.database)
    await fillHistory(stage.database, ROWS)
    await check('without statistics')
    await stage.database.query(sql`ANALYZE job, event, event_seal`)
    await check('with statistics of now')
    for (const status of ['PENDING', 'QUEUED'] as const) {
      await believeAll(stage.database, status)
      await check(`with statistics of a burst of ${status}`)
    }
  } finally {
    await stage.close()
  }
}
