/** The plans of every list on ROWS rows each (1 000 000): the scans of each view are named, and none is to read more than a page needs. */
import { openReads } from '#server/ledger/prisma.ts'
import { openWatched } from '#server/ledger/testing/executed-plans.ts'
import { plansOfLists } from '#server/search/testing/list-plans.ts'
import { listViews } from '#server/search/testing/list-views.ts'
import type { Figures } from './figures.ts'
import { openFilledStage } from './list-rows.ts'

const ROWS = Number(process.env.ROWS ?? 1_000_000)

export async function benchListPlans(figures: Figures): Promise<void> {
  const stage = await openFilledStage(ROWS)
  const watched = openWatched(stage.url)
  const reads = openReads(watched)
  try {
    const views = await listViews({ db: watched, reads, garden: stage.garden }, ROWS)
    for (const { name, scans, faults } of await plansOfLists(watched, views)) {
      for (const line of [...scans, ...faults]) figures.note(`${name}: ${line}`)
      figures.add(`${name} at ${ROWS}`, faults.length, { unit: 'faults', aim: { most: 0 } })
    }
  } finally {
    await reads.$disconnect()
    await watched.close()
    await stage.close()
  }
}
