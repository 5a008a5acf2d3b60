import sql, { type Sql } from 'sql-template-tag'
import type { RunListInput, RunPage } from '#contracts/run.contract.ts'
import { type RunState, runMachine } from '#domain/run/run.machine.ts'
import { keyset, patternOf, startsWith } from '#server/ledger/list.ts'
import { type Listing, listPage, type TextSearch } from '#server/ledger/list-page.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { columns } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { type Made, runView, VIEWED, type ViewRow } from './run-view.ts'

/** The order of every list of runs. */
export const newestRuns = keyset('run', 'runs', { requested_at: 'time', run_id: 'text' }, 'desc')

/** A page of runs. What a run made is counted for its rows alone. */
export async function listRuns(
  { db, reads }: Pick<Services, 'db' | 'reads'>,
  input: RunListInput,
): Promise<RunPage> {
  const found = await listPage<ViewRow>(db, runListing(input), input.limit)
  const page = newestRuns.page(found, input.limit)
  const madeBy = await madeByRuns(
    reads,
    page.rows.map((run) => run.run_id),
  )
  return { items: page.rows.map((run) => runView(run, madeBy(run.run_id))), next_cursor: page.next_cursor }
}

export function runListing(input: RunListInput): Listing {
  const text = input.q?.trim()
  return {
    columns: columns('run', 'o', VIEWED),
    from: sql`run o`,
    where: [...filterOf(input), newestRuns.after('o', input.cursor)],
    order: newestRuns.order('o'),
    search: text ? searchOf(text) : null,
  }
}

const filterOf = ({ status, agent, trigger, from, to }: RunListInput): Sql[] => [
  ...(status ? [sql`o.status = ${status}`] : []),
  ...(agent ? [sql`o.agent_slug = ${agent}`] : []),
  ...(trigger ? [sql`o.trigger = ${trigger}`] : []),
  ...(from ? [sql`o.requested_at >= ${new Date(from)}`] : []),
  ...(to ? [sql`o.requested_at < ${new Date(to)}`] : []),
]

const ENDED = runMachine.final
const MOVING = runMachine.states.filter((state) => !ENDED.includes(state))
const statesAre = (are: readonly RunState[]): Sql =>
  sql`o.status IN ${states(runMachine, ...(are as [RunState, ...RunState[]]))}`

/**
 * Part of what the run was asked or of its summary, or the beginning of its id. The trigram index `run_words` holds the runs that have ended, the
 * others are few, and found by their state.
 */
function searchOf(text: string): TextSearch {
  const has = (pattern: Sql) => sql`(o.question ILIKE ${pattern} OR o.summary ILIKE ${pattern})`
  const named = startsWith(sql`o.run_id`, text)
  return {
    words: text.split(/\s+/),
    has,
    holds: sql`(${has(sql`${patternOf(text)}`)} OR ${named})`,
    indexed: (word) => {
      if (word === null) return null
      const hasWord = has(sql`${patternOf(word)}`)
      return [sql`${statesAre(ENDED)} AND ${hasWord}`, sql`${statesAre(MOVING)} AND ${hasWord}`, named]
    },
  }
}

async function madeByRuns(reads: Reads, runIds: string[]): Promise<(runId: string) => Made> {
  const counted = { by: 'run_id', where: { run_id: { in: runIds } }, _count: true } as const
  const [proposals, jobs, artifacts] = await Promise.all([
    reads.proposal.groupBy(counted),
    reads.job.groupBy(counted),
    reads.artifact.groupBy(counted),
  ])
  const countsOf = (groups: { run_id: string | null; _count: number }[]) =>
    new Map(groups.map((group) => [group.run_id, group._count]))
  const made = { proposals: countsOf(proposals), jobs: countsOf(jobs), artifacts: countsOf(artifacts) }
  return (runId) => ({
    proposals: made.proposals.get(runId) ?? 0,
    jobs: made.jobs.get(runId) ?? 0,
    artifacts: made.artifacts.get(runId) ?? 0,
  })
}
