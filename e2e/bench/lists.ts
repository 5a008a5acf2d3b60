/**
 * Every list at 100 000 rows (`ROWS`): each view of `list-views.ts`, its p95 with the pages that its statements looked at, which do not depend on
 * how busy the machine is.
 */
import { openReads } from '#server/ledger/prisma.ts'
import { openWatched } from '#server/ledger/testing/executed-plans.ts'
import { listViews } from '#server/search/testing/list-views.ts'
import type { Figures } from './figures.ts'
import { openFilledStage, ROWS } from './list-rows.ts'
import { percentile } from './statistics.ts'

/** As often as it takes to know a p95. */
const ROUNDS = 40

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return times
}

export async function benchLists(figures: Figures): Promise<void> {
  const stage = await openFilledStage()
  const watched = openWatched(stage.url)
  const watching = openReads(watched)
  try {
    const { database: db, reads, garden } = stage
    const seen = new Map(
      (await listViews({ db: watched, reads: watching, garden }, ROWS)).map(({ name, work }) => [name, work]),
    )
    for (const { name, work } of await listViews({ db, reads, garden }, ROWS)) {
      const times = await timesOf(work)
      const { plans } = await watched.plansOf(seen.get(name) ?? work)
      const pages = plans.flatMap(({ scans }) => scans).reduce((sum, scan) => sum + scan.pages, 0)
      const breakdown = { unit: 'pages', parts: { read: pages } }
      const kind = { unit: 'ms', aim: { most: 50 }, breakdown }
      figures.add(`${name} at ${ROWS}, p95`, percentile(times, 0.95), kind)
    }
  } finally {
    await watching.$disconnect()
    await watched.close()
    await stage.close()
  }
}
