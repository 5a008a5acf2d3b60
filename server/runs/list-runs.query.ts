/** The list of runs, newest first. SQL, not Prisma: text search in a JSON document and correlated counts. */
import sql, { type Sql } from 'sql-template-tag'
import type { RunListInput, RunPage } from '#contracts/run.contract.ts'
import { keyset, like, whereAll } from '#server/ledger/list.ts'
import type { Services } from '#server/services.ts'
import { type CountedRun, RUN_COLUMNS, runView } from './run-view.ts'

/** The order of every list of runs. */
export const newestRuns = keyset('run', 'runs', { requested_at: 'time', run_id: 'text' }, 'desc')

/** A page of runs. The counts of what a run created are read for its rows alone. */
export async function listRuns({ db }: Pick<Services, 'db'>, input: RunListInput): Promise<RunPage> {
  const where = whereAll(...conditions(input), newestRuns.after('f', input.cursor))
  const { rows } = await db.query<CountedRun>(sql`SELECT ${RUN_COLUMNS} FROM (
      SELECT f.* FROM run f ${where} ORDER BY ${newestRuns.order('f')} LIMIT ${input.limit + 1}) r
    ORDER BY ${newestRuns.order('r')}`)
  const page = newestRuns.page(rows, input.limit)
  return { items: page.rows.map(runView), next_cursor: page.next_cursor }
}

function conditions({ status, agent, trigger, from, to, q }: RunListInput): (Sql | null)[] {
  return [
    status ? sql`f.status = ${status}` : null,
    agent ? sql`f.agent_slug = ${agent}` : null,
    trigger ? sql`f.trigger = ${trigger}` : null,
    from ? sql`f.requested_at >= ${new Date(from)}` : null,
    to ? sql`f.requested_at < ${new Date(to)}` : null,
    q?.trim() ? textIs(like(q.trim())) : null,
  ]
}

/** Part of what the run was asked or of its summary, or the beginning of its id. */
const textIs = (text: string): Sql =>
  sql`(f.run_id LIKE ${`${text}%`} OR f.params::text ILIKE ${`%${text}%`} OR f.summary ILIKE ${`%${text}%`})`
