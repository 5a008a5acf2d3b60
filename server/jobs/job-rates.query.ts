import sql, { type Sql } from 'sql-template-tag'
import type { JobRates } from '#contracts/job-rates.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import type { MetricName } from '#server/metrics/catalogue.ts'
import { type Window, windowOf } from '#server/metrics/points.query.ts'

const TRANSITIONS = 'garden_job_transitions_total' satisfies MetricName
const [MINUTE, HOUR] = [60, 60] as const

type Counted = { from_status: string; to_status: string; n: number }

/**
 * How many jobs entered and left each state in the last hour: read from what was counted when it happened, so neither the number of jobs nor that of
 * events matters. The minute that is under way is left out.
 */
export async function jobRates({ db }: { db: Db }, moment?: Date): Promise<JobRates> {
  const window = windowOf(moment ?? (await ledgerNow(db)), MINUTE, HOUR)
  const { rows } = await db.query<Counted>(transitionsStatement(window))
  const sum = (column: 'from_status' | 'to_status', state: JobState) =>
    rows.reduce((all, row) => (row[column] === state ? all + row.n : all), 0)
  const rates = jobMachine.states.map((state) => [
    state,
    { in: sum('to_status', state), out: sum('from_status', state) },
  ])
  return {
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    by_status: Object.fromEntries(rates) as JobRates['by_status'],
  }
}

const transitionsStatement = ({ step, from, to }: Window): Sql =>
  sql`SELECT p.labels ->> 'from' AS from_status, p.labels ->> 'to' AS to_status, sum(p.count)::float8 AS n
    FROM metric_point p WHERE p.step = ${step} AND p.name = ${TRANSITIONS} AND p.at >= ${from} AND p.at < ${to} GROUP BY 1, 2`
