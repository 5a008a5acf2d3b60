/** What the lists of the console ask of a filled ledger (`large-rows.ts`): pages at their head and deep in them, by each filter, by texts of every frequency, and counts. */
import sql, { raw } from 'sql-template-tag'
import { artifactListInput } from '#contracts/artifact.contract.ts'
import { auditListInput } from '#contracts/audit.contract.ts'
import { inboxFilter } from '#contracts/inbox.contract.ts'
import { jobListInput } from '#contracts/job.contract.ts'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import { runListInput } from '#contracts/run.contract.ts'
import { searchInput } from '#contracts/search.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { listAgents } from '#server/agents/list-agents.query.ts'
import { countArtifacts, listArtifacts, newestArtifacts } from '#server/artifacts/list-artifacts.query.ts'
import { listEvents, newestEvents } from '#server/audit/list-events.query.ts'
import { inboxStats, listEntries, newestEntries } from '#server/inbox/list-entries.query.ts'
import { listFailures } from '#server/jobs/list-failures.query.ts'
import { countJobs, listJobs, newestJobs } from '#server/jobs/list-jobs.query.ts'
import { ADDRESSES } from '#server/jobs/testing/queue-room.ts'
import type { Database } from '#server/ledger/database.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { countProposals } from '#server/proposals/count-proposals.query.ts'
import { listProposals, PROPOSAL_ORDERS } from '#server/proposals/list-proposals.query.ts'
import { listRuns, newestRuns } from '#server/runs/list-runs.query.ts'
import { searchEverywhere } from '../search-everywhere.query.ts'

export type ListView = { name: string; work: () => Promise<unknown> }
type Parts = { db: Database; reads: Reads; garden: GitRepository }
type Position = { at: Date; id: string }

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }

/** Texts of a ledger with so many rows: one that every row holds, one of a single old row, one of none. */
const textsOf = (count: number): Record<string, { q: string }> => ({
  'text, common': { q: 'garden' },
  'text, one match': { q: `${count - 3}` },
  'text, none': { q: 'cinnamon' },
  'two letters': { q: 'de' },
})

/** Every view of a ledger with so many rows in each list. */
export async function listViews({ db, reads, garden }: Parts, count: number): Promise<ListView[]> {
  const parts = { db, reads, garden, env: ADDRESSES, executors: { find: () => null } }
  const deep = async (table: string, at: string, id: string): Promise<Position> => {
    const order = raw(`${at} DESC, ${id} DESC`)
    const { rows } = await db.query<Position>(
      sql`SELECT ${raw(at)} AS at, ${raw(id)}::text AS id FROM ${raw(table)} ORDER BY ${order} OFFSET ${Math.floor(count * 0.99)} LIMIT 1`,
    )
    return rows[0] as Position
  }
  const [job, run, entry, proposal, artifact, event] = await Promise.all([
    deep('job', 'created_at', 'job_id'),
    deep('run', 'requested_at', 'run_id'),
    deep('inbox_entry', 'received_at', 'inbox_id'),
    deep('proposal', 'created_at', 'proposal_id'),
    deep('artifact', 'created_at', 'artifact_id'),
    deep('event', 'ts', 'id'),
  ])
  const views = (list: string, page: (input: object) => Promise<unknown>, inputs: Record<string, object>) =>
    Object.entries({ head: {}, ...inputs }).map(([view, input]) => ({
      name: `${list}: ${view}`,
      work: () => page(input),
    }))
  const texts = textsOf(count)
  return [
    ...views('jobs', (input) => listJobs(parts, jobListInput.parse(input), OWNER), {
      deep: { cursor: newestJobs.cursorOf({ created_at: job.at, job_id: job.id }) },
      'one agent': { agent: 'agent-0007' },
      DEAD: { status: 'DEAD' },
      'RETRY_BACKOFF (rare)': { status: 'RETRY_BACKOFF' },
      'FAILED or DEAD': { status: ['FAILED', 'DEAD'] },
      'a failure group': { code: 'NLM_TIMEOUT', phase: 'NOTEBOOKLM_CALL' },
      'id prefix': { q: job.id.slice(0, 8) },
      'agent and text': { agent: 'agent-0007', q: 'cinnamon' },
      ...texts,
    }),
    { name: 'jobs: counts', work: () => countJobs(parts, OWNER) },
    { name: 'jobs: failure groups', work: () => listFailures(parts, { resolved: 'no' }, OWNER) },
    ...views('runs', (input) => listRuns(parts, runListInput.parse(input)), {
      deep: { cursor: newestRuns.cursorOf({ requested_at: run.at, run_id: run.id }) },
      'one agent': { agent: 'agent-0007' },
      completed: { status: 'completed' },
      'id prefix': { q: run.id.slice(0, -3) },
      ...texts,
    }),
    ...views('inbox', (input) => listEntries(parts, inboxFilter.parse(input)), {
      deep: { cursor: newestEntries.cursorOf({ received_at: entry.at, inbox_id: entry.id }) },
      processed: { status: 'processed' },
      pending: { status: 'pending' },
      id: { q: entry.id },
      ...texts,
    }),
    { name: 'inbox: counts', work: () => inboxStats(parts) },
    ...views('proposals', (input) => listProposals(parts, proposalFilter.parse(input), 'owner'), {
      deep: {
        cursor: PROPOSAL_ORDERS.newest.cursorOf({ created_at: proposal.at, proposal_id: proposal.id }),
      },
      'to decide': { sort: 'to_decide', status: ['PENDING'] },
      history: { status: ['APPLIED', 'REJECTED', 'DISCARDED', 'EXPIRED'] },
      'one agent': { agent: 'agent-0007' },
      id: { q: proposal.id },
      ...texts,
    }),
    { name: 'proposals: counts', work: () => countProposals(parts) },
    ...views('artifacts', (input) => listArtifacts(parts, artifactListInput.parse(input), OWNER), {
      deep: { cursor: newestArtifacts.cursorOf({ created_at: artifact.at, artifact_id: artifact.id }) },
      'one agent': { agent: 'agent-0007' },
      'tag, none': { tag: 'cinnamon' },
      ...texts,
    }),
    { name: 'artifacts: counts', work: () => countArtifacts(parts, OWNER) },
    { name: 'agents: all with their records', work: () => listAgents(parts, {}) },
    ...views('audit', (input) => listEvents(parts, auditListInput.parse(input)), {
      deep: { cursor: newestEvents.cursorOf({ id: Number(event.id) }) },
      'one actor': { actor: 'owner' },
      'a group': { event: 'auth' },
    }),
    ...Object.entries(texts).map(([name, { q }]) => ({
      name: `search: ${name}`,
      work: () => searchEverywhere(parts, OWNER, searchInput.parse({ q })),
    })),
  ]
}
