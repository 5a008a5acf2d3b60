/**
 * Every list at 100 000 rows (`ROWS`): each view of `list-views.ts`, its p50 and p95 with the pages that its statements looked at, which do not depend on
 * how busy the machine is.
 */

import { openReads } from '#server/ledger/prisma.ts'
import { openWatched } from '#server/ledger/testing/executed-plans.ts'
import { listViews } from '#server/search/testing/list-views.ts'
import { say as print } from '../fixtures/report.ts'
import { openFilledStage, ROWS } from './list-rows.ts'

const ROUNDS = 40
const AIM_MS = 50

async function timesOf(work: () => Promise<unknown>): Promise<{ p50: number; p95: number }> {
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(ROUNDS * share)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

/** Runs the whole and prints one line a view. */
export async function benchLists(say = print): Promise<void> {
  const stage = await openFilledStage()
  const watched = openWatched(stage.url)
  const watching = openReads(watched)
  try {
    const { database: db, reads, garden } = stage
    const seen = new Map(
      (await listViews({ db: watched, reads: watching, garden }, ROWS)).map(({ name, work }) => [name, work]),
    )
    for (const { name, work } of await listViews({ db, reads, garden }, ROWS)) {
      const { p50, p95 } = await timesOf(work)
      const { plans } = await watched.plansOf(seen.get(name) ?? work)
      const pages = plans.flatMap(({ scans }) => scans).reduce((sum, scan) => sum + scan.pages, 0)
      const figures = `p50 ${p50.toFixed(1)}  p95 ${p95.toFixed(1)} ms   (aim ≤ ${AIM_MS})   ${pages} pages`
      say(`${`at ${ROWS}: ${name}`.padEnd(44)} ${figures}`)
    }
  } finally {
    await watching.$disconnect()
    await watched.close()
    await stage.close()
  }
}

if (process.argv[1] === import.meta.filename) await benchLists()
