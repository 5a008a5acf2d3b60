/** How the statements of the lists are carried out on a large ledger: none may read a table as a whole, nor more of one than a page or a capped count needs. */
import { RUNS_COUNTED } from '#domain/agent/agent.rules.ts'
import type { Scan, WatchedDatabase } from '#server/ledger/testing/executed-plans.ts'
import type { ListView } from './list-views.ts'

/** What grows with every object. */
const GROWING = [
  'inbox_entry',
  'proposal',
  'run',
  'job',
  'artifact',
  'artifact_labels',
  'event',
  'event_seal',
]
/** Rows of a table that one scan may read: what a page looks into first with what it shows, and for counts what they are capped at, or a day of it. */
const MOST_ROWS = 2_500
const MOST_COUNTED = 13_000

export type ListPlan = {
  name: string
  /** Each scan of what grows, as `Index Scan job_created: 51 rows, 12 pages`. */
  scans: string[]
  /** Those that read too much. */
  faults: string[]
}

/** Carries out every view once; other tables than those that grow are not looked at. */
export async function plansOfLists(db: WatchedDatabase, views: readonly ListView[]): Promise<ListPlan[]> {
  const plans: ListPlan[] = []
  for (const { name, work } of views) {
    const seen = await db.plansOf(work)
    const scans = seen.plans.flatMap((plan) => plan.scans).filter(({ table }) => GROWING.includes(table))
    plans.push({
      name,
      scans: scans.map(lineOf),
      faults: scans.filter((scan) => isFault(scan, mostOf(name, scan))).map(lineOf),
    })
  }
  return plans
}

/** Of each agent as many as are counted at most, however many agents there are. */
function mostOf(name: string, { loops }: Scan): number {
  if (name.startsWith('agents')) return RUNS_COUNTED * loops
  return /counts|groups/.test(name) ? MOST_COUNTED : MOST_ROWS
}

/** A scan of a table as a whole reads more than that; one that a cap ends early does not. */
const isFault = ({ rows, leftOut }: Scan, most: number): boolean => rows + leftOut > most

const lineOf = ({ how, table, index, rows, leftOut, pages }: Scan): string =>
  `${how} ${index ?? table}: ${rows} rows, ${leftOut} left out, ${pages} pages`
