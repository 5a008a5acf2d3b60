/** The plans of every list on ROWS rows each (1 000 000): the scans of each view are printed, and none is to read more than a page needs. */
import { openReads } from '#server/ledger/prisma.ts'
import { openWatched } from '#server/ledger/testing/executed-plans.ts'
import { plansOfLists } from '#server/search/testing/list-plans.ts'
import { listViews } from '#server/search/testing/list-views.ts'
import { reportOf, say } from '../fixtures/report.ts'
import { openFilledStage } from './list-rows.ts'

const ROWS = Number(process.env.ROWS ?? 1_000_000)

/** Runs the whole and prints one check a view. */
export async function benchListPlans(): Promise<void> {
  const report = reportOf('plans of the lists', say)
  const stage = await openFilledStage(ROWS)
  const watched = openWatched(stage.url)
  const reads = openReads(watched)
  try {
    const views = await listViews({ db: watched, reads, garden: stage.garden }, ROWS)
    for (const { name, scans, faults } of await plansOfLists(watched, views)) {
      for (const scan of scans) report.progress(scan)
      report.check(`${name} at ${ROWS}`, faults.length === 0, faults.join('\n'))
    }
  } finally {
    await reads.$disconnect()
    await watched.close()
    await stage.close()
  }
  report.verdict()
}

if (process.argv[1] === import.meta.filename) await benchListPlans()
