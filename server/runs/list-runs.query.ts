import type { RunListInput, RunPage } from '#contracts/run.contract.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import type { Prisma } from '#prisma/generated/client.ts'
import { keyset, like } from '#server/ledger/list.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { type Made, RUN_SELECT, runView } from './run-view.ts'

/** The order of every list of runs. */
export const newestRuns = keyset('run', 'runs', { requested_at: 'time', run_id: 'text' }, 'desc')

/** A page of runs. What a run made is counted for its rows alone. */
export async function listRuns({ reads }: Pick<Services, 'reads'>, input: RunListInput): Promise<RunPage> {
  const found = await reads.run.findMany({
    select: RUN_SELECT,
    ...newestRuns.slice(filterOf(input), input),
  })
  const page = newestRuns.page(rowsOf('run', found), input.limit)
  const madeBy = await madeByRuns(
    reads,
    page.rows.map((run) => run.run_id),
  )
  return { items: page.rows.map((run) => runView(run, madeBy(run.run_id))), next_cursor: page.next_cursor }
}

function filterOf({ status, agent, trigger, from, to, q }: RunListInput): Prisma.RunWhereInput {
  return {
    ...(status && { status }),
    ...(agent && { agent_slug: agent }),
    ...(trigger && { trigger }),
    ...((from || to) && {
      requested_at: { ...(from && { gte: new Date(from) }), ...(to && { lt: new Date(to) }) },
    }),
    ...(q?.trim() && { OR: textIs(like(q.trim())) }),
  }
}

/**
 * Part of what the run was asked or of its summary, or the beginning of its id. Each alternative has an index of its own: the trigram index
 * `run_words` holds the runs that have ended, the others are few, and found by their state.
 */
function textIs(text: string): Prisma.RunWhereInput[] {
  const contains = { contains: text, mode: 'insensitive' } as const
  const words: Prisma.RunWhereInput[] = [{ question: contains }, { summary: contains }]
  return [
    { run_id: { startsWith: text } },
    ...words.flatMap((word) => [
      { status: { in: [...runMachine.final] }, ...word },
      { status: { in: MOVING }, ...word },
    ]),
  ]
}

const MOVING = runMachine.states.filter((state) => !runMachine.final.includes(state))

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
