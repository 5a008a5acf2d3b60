import sql, { join } from 'sql-template-tag'
import { COUNT_CAP, type CountView, type JobCounts } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import type { Db } from '#server/ledger/database.ts'

/** Jobs by state, exact below 10 000 each; above that counting stops, so the cost stays bounded. */
export async function countJobs(db: Db): Promise<JobCounts> {
  const parts = jobMachine.states.map(
    (state) =>
      sql`SELECT ${state}::text AS status, (SELECT count(*) FROM (SELECT 1 FROM job WHERE status = ${state} LIMIT ${COUNT_CAP}) c) AS n`,
  )
  const { rows } = await db.query<{ status: JobState; n: number }>(join(parts, ' UNION ALL '))
  const views = rows.map((row) => [row.status, capped(row.n)] as const)
  const total = views.reduce((sum, [, view]) => sum + view.count, 0)
  return {
    by_status: Object.fromEntries(views) as JobCounts['by_status'],
    total: { count: total, exact: views.every(([, view]) => view.exact) },
  }
}

const capped = (n: number): CountView => ({ count: n, exact: n < COUNT_CAP })
