import sql, { join, type Sql } from 'sql-template-tag'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { state } from '#server/ledger/states.ts'

const FAILED: JobState = jobMachine.events.cancel.to

/**
 * `name, n`: jobs by state, and `cancelled` ones apart from the FAILED. Each counts up to `cap` entries of an index and no row that does not count, so the
 * cost stays bounded however the jobs ended; the kind of failure is a constant of the text, for the sake of the partial indexes.
 */
export function jobCounts(cap: number): Sql {
  const counted = (name: string, which: Sql) =>
    sql`SELECT ${name}::text AS name, (SELECT count(*) FROM (SELECT 1 FROM job WHERE ${which} LIMIT ${cap}) c) AS n`
  const states = jobMachine.states.map((one) => {
    const is = sql`status = ${state(jobMachine, one)}`
    return counted(one, one === FAILED ? sql`${is} AND failure_kind <> 'cancelled'` : is)
  })
  const cancelled = sql`status = ${state(jobMachine, FAILED)} AND failure_kind = 'cancelled'`
  return join([...states, counted('cancelled', cancelled)], ' UNION ALL ')
}
