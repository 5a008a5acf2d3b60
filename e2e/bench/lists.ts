/**
 * Every list at 100 000 rows: the first page, the middle, the very end, and what its filters ask; the list of jobs
 * has its own programme (job-lists.ts), which runs first.
 */
import sql, { type Sql } from 'sql-template-tag'
import { artifactListInput } from '#contracts/artifact.contract.ts'
import { auditListInput } from '#contracts/audit.contract.ts'
import { inboxFilter } from '#contracts/inbox.contract.ts'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import { runListInput } from '#contracts/run.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { listArtifacts, newestArtifacts } from '#server/artifacts/list-artifacts.query.ts'
import { listEvents, newestEvents } from '#server/audit/list-events.query.ts'
import { listEntries, newestEntries } from '#server/inbox/list-entries.query.ts'
import { ADDRESSES } from '#server/jobs/testing/queue-room.ts'
import { countProposals, listProposals, PROPOSAL_ORDERS } from '#server/proposals/list-proposals.query.ts'
import { listRuns, newestRuns } from '#server/runs/list-runs.query.ts'
import { say as print } from '../fixtures/report.ts'
import { benchJobLists } from './job-lists.ts'
import { type FilledStage, openFilledStage, ROWS } from './list-rows.ts'

const ROUNDS = 40
const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }

type Position = { at: Date; id: string }
type List = {
  name: string
  /** The rows' positions in the order of the list, newest first. */
  positions: Sql
  cursor: (position: Position) => string
  page: (stage: FilledStage, input: object) => Promise<unknown>
  filters: Record<string, object>
}

const LISTS: readonly List[] = [
  {
    name: 'inbox',
    positions: sql`SELECT received_at AS at, inbox_id AS id FROM inbox_entry ORDER BY received_at DESC, inbox_id DESC`,
    cursor: ({ at, id }) => newestEntries.cursorOf({ received_at: at, inbox_id: id }),
    page: ({ database: db }, input) => listEntries({ db }, inboxFilter.parse(input)),
    filters: { processed: { status: 'processed' }, text: { q: 'garden' } },
  },
  {
    name: 'proposals',
    positions: sql`SELECT created_at AS at, proposal_id AS id FROM proposal ORDER BY created_at DESC, proposal_id DESC`,
    cursor: ({ at, id }) => PROPOSAL_ORDERS.newest.cursorOf({ created_at: at, proposal_id: id }),
    page: ({ database: db, garden, reads }, input) =>
      listProposals({ db, garden, reads }, proposalFilter.parse({ sort: 'newest', ...input }), 'owner'),
    filters: {
      'to decide': { sort: 'to_decide', status: ['PENDING'] },
      history: { status: ['APPLIED', 'REJECTED', 'DISCARDED', 'EXPIRED'] },
      'one agent': { agent: 'agent-0007' },
      text: { q: 'garden' },
    },
  },
  {
    name: 'runs',
    positions: sql`SELECT requested_at AS at, run_id AS id FROM run ORDER BY requested_at DESC, run_id DESC`,
    cursor: ({ at, id }) => newestRuns.cursorOf({ requested_at: at, run_id: id }),
    page: ({ database: db, reads }, input) => listRuns({ db, reads }, runListInput.parse(input)),
    filters: {
      'one agent': { agent: 'agent-0007' },
      completed: { status: 'completed' },
      text: { q: 'garden' },
    },
  },
  {
    name: 'artifacts',
    positions: sql`SELECT created_at AS at, artifact_id AS id FROM artifact ORDER BY created_at DESC, artifact_id DESC`,
    cursor: ({ at, id }) => newestArtifacts.cursorOf({ created_at: at, artifact_id: id }),
    page: ({ database: db, garden, reads }, input) =>
      listArtifacts({ db, garden, reads, env: ADDRESSES }, artifactListInput.parse(input), OWNER),
    filters: { 'one agent': { agent: 'agent-0007' }, text: { q: 'garden' } },
  },
  {
    name: 'audit',
    positions: sql`SELECT ts AS at, id::text AS id FROM event ORDER BY event.id DESC`,
    cursor: ({ id }) => newestEvents.cursorOf({ id: Number(id) }),
    page: ({ database: db, reads }, input) => listEvents({ db, reads }, auditListInput.parse(input)),
    filters: { 'one actor': { actor: 'owner' }, 'a group': { event: 'auth' } },
  },
]

async function p95(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  return (times[Math.floor(ROUNDS * 0.95)] ?? Number.NaN).toFixed(1)
}

async function cursorAt(stage: FilledStage, list: List, depth: number): Promise<string> {
  const { rows } = await stage.database.query<Position>(sql`${list.positions} OFFSET ${depth} LIMIT 1`)
  return list.cursor(rows[0] as Position)
}

/** Runs the whole and prints one line a view. */
export async function benchLists(say = print): Promise<void> {
  await benchJobLists(say)
  const stage = await openFilledStage()
  try {
    for (const list of LISTS) {
      const views: Record<string, object> = {
        head: {},
        '50 % deep': { cursor: await cursorAt(stage, list, ROWS / 2) },
        '99 % deep': { cursor: await cursorAt(stage, list, Math.floor(ROWS * 0.99)) },
        ...list.filters,
      }
      for (const [view, input] of Object.entries(views)) {
        const took = await p95(() => list.page(stage, input))
        say(`${list.name} at ${ROWS}: ${view.padEnd(14)} p95 ${took} ms   (aim ≤ 50)`)
      }
    }
    const { database: db, garden, reads } = stage
    say(
      `proposals at ${ROWS}: counts         p95 ${await p95(() => countProposals({ db, garden, reads }))} ms   (aim ≤ 50)`,
    )
  } finally {
    await stage.close()
  }
}

if (process.argv[1] === import.meta.filename) await benchLists()
