/** What each kind of need finds. SQL: counts of several tables in one statement, each from an index of states. */
import sql, { empty, join, type Sql } from 'sql-template-tag'
import { MOST_NEEDS, type NeedView } from '#contracts/needs.contract.ts'
import { COMPONENTS, type Component, STALE_SECONDS } from '#contracts/system.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { alertMachine } from '#domain/alert/alert.machine.ts'
import type { Role } from '#domain/authority/caller.ts'
import { may } from '#domain/authority/matrix.ts'
import { SAID_TWICE } from '#domain/inbox/needs.rules.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { INFRASTRUCTURE_FAILURES } from '#domain/proposal/proposal-commands.rules.ts'
import { listAgents } from '#server/agents/list-agents.query.ts'
import { alertView } from '#server/alerts/alert-view.ts'
import type { Db } from '#server/ledger/database.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { listProposals } from '#server/proposals/list-proposals.query.ts'
import type { Services } from '#server/services.ts'

type Found = Extract<NeedView, { kind: NeedView['kind'] }>[]

/** Dead jobs are counted up to here. */
const MOST_DEAD = 10_000
const DEAD = state(jobMachine, 'DEAD')
const OPEN_ALERT = state(alertMachine, 'open')
const FAILING = state(agentMachine, 'error')
const ILL_STATES = ['degraded', 'unavailable'] as const
const ILL = sql`c.status = ANY(${[...ILL_STATES]}) AND c.checked_at > clock_timestamp() - make_interval(secs => ${STALE_SECONDS})`
const NOT_SAID_TWICE = sql`a.rule NOT IN (${join([...SAID_TWICE])})`
/** Nobody may push, or nobody knows who may; what remains of a lease runs out by the ledger's clock. */
const LEADERLESS = sql`(l.lease_state = 'unreadable' OR (l.lease_state <> 'absent' AND (l.needs_ui_selection
  OR l.remaining_seconds <= extract(epoch FROM clock_timestamp() - l.observed_at))))`

/** Failed proposals that this role may do something about. */
const retriable = (role: Role): Sql =>
  may(role, 'proposal.decide') ? empty : sql` AND p.error->>'code' IN (${join([...INFRASTRUCTURE_FAILURES])})`
const none: Sql = sql`0`
const counted = (is: boolean, from: Sql): Sql => (is ? sql`(SELECT count(*) FROM ${from})` : none)

/** How many needs a person of this role has, and how many of them are proposals to review. Dead jobs are one. */
export async function countNeeds(db: Db, role: Role): Promise<{ count: number; proposals: number }> {
  const { rows } = await db.query<{ others: number; proposals: number }>(sql`SELECT
    ${counted(may(role, 'proposal.decide'), sql`proposal WHERE status = ${state(proposalMachine, 'PENDING')} AND snoozed_until IS NULL`)}::int AS proposals,
    (${counted(may(role, 'proposal.retry'), sql`proposal p WHERE p.status = ${state(proposalMachine, 'FAILED')}${retriable(role)}`)}
    + ${counted(may(role, 'agent.change'), sql`agent WHERE status = ${FAILING}`)}
    + ${counted(may(role, 'health.read'), sql`component_health c WHERE ${ILL}`)}
    + ${counted(may(role, 'leadership.select'), sql`membridge_lease l WHERE ${LEADERLESS}`)}
    + ${counted(may(role, 'job.operate'), sql`(SELECT 1 FROM job WHERE status = ${DEAD} LIMIT 1) d`)}
    + ${counted(may(role, 'alert.acknowledge'), sql`alert a WHERE a.status = ${OPEN_ALERT} AND ${NOT_SAID_TWICE}`)})::int AS others`)
  const { others = 0, proposals = 0 } = rows[0] ?? {}
  return { count: others + proposals, proposals }
}

type Parts = Pick<Services, 'db' | 'reads' | 'garden' | 'executors'>

/** Everything of every kind that this role may act upon, each kind bounded. */
export async function findNeeds(parts: Parts, role: Role): Promise<NeedView[]> {
  const found = await Promise.all([
    may(role, 'proposal.decide') ? toReview(parts, role) : [],
    may(role, 'proposal.retry') ? failed(parts, role) : [],
    may(role, 'agent.change') ? failingAgents(parts) : [],
    may(role, 'health.read') ? illComponents(parts.db) : [],
    may(role, 'leadership.select') ? leaderless(parts.db) : [],
    may(role, 'job.operate') ? deadJobs(parts.db) : [],
    may(role, 'alert.acknowledge') ? openAlerts(parts.reads) : [],
  ])
  return found.flat()
}

async function toReview(parts: Parts, role: Role): Promise<Found> {
  const { items } = await listProposals(
    parts,
    { status: ['PENDING'], sort: 'to_decide', limit: MOST_NEEDS },
    role,
  )
  return items.map((proposal) => ({ kind: 'proposal', proposal }))
}

async function failed(parts: Parts, role: Role): Promise<Found> {
  const { items } = await listProposals(
    parts,
    { status: ['FAILED'], sort: 'newest', limit: MOST_NEEDS },
    role,
  )
  return items
    .filter(({ commands }) => commands.length > 0)
    .map((proposal) => ({ kind: 'failed_proposal', proposal }))
}

async function failingAgents(parts: Parts): Promise<Found> {
  const { items } = await listAgents(parts, { status: 'error' })
  return items.slice(0, MOST_NEEDS).map(({ slug, name, status, allowed, error }) => ({
    kind: 'agent',
    agent: { slug, name, status, allowed, error },
  }))
}

type IllRow = {
  component: string
  status: (typeof ILL_STATES)[number]
  message: string | null
  last_success_at: Date | null
}

async function illComponents(db: Db): Promise<Found> {
  const { rows } = await db.query<IllRow>(
    sql`SELECT c.component, c.status, c.message, c.last_success_at FROM component_health c WHERE ${ILL}`,
  )
  return rows
    .filter(({ component }) => (COMPONENTS as readonly string[]).includes(component))
    .map(({ component, last_success_at, ...row }) => ({
      kind: 'component',
      component: component as Component,
      ...row,
      since: last_success_at?.toISOString() ?? null,
    }))
}

type LeaderlessRow = { canonical_id: string; name: string; unreadable: boolean; observed_at: Date | null }

async function leaderless(db: Db): Promise<Found> {
  const { rows } = await db.query<LeaderlessRow>(sql`SELECT l.canonical_id, p.name,
      l.lease_state = 'unreadable' AS unreadable, l.observed_at
    FROM membridge_lease l JOIN membridge_project p ON p.canonical_id = l.canonical_id
    WHERE ${LEADERLESS} ORDER BY l.canonical_id LIMIT ${MOST_NEEDS}`)
  return rows.map(({ canonical_id, name, unreadable, observed_at }) => ({
    kind: 'project',
    ...{ canonical_id, name, reason: unreadable ? 'unreadable' : 'no_primary' },
    since: observed_at?.toISOString() ?? null,
  }))
}

type DeadRow = { count: number; job_id: string | null; code: string | null; since: Date | null }

async function deadJobs(db: Db): Promise<Found> {
  const { rows } = await db.query<DeadRow>(sql`SELECT
      (SELECT count(*)::int FROM (SELECT 1 FROM job WHERE status = ${DEAD} LIMIT ${MOST_DEAD}) d) AS count,
      n.job_id::text, n.code, n.since
    FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT job_id, error->>'code' AS code, coalesce(finished_at, updated_at) AS since
      FROM job WHERE status = ${DEAD} ORDER BY created_at DESC, job_id DESC LIMIT 1) n ON true`)
  const { count = 0, job_id, code, since } = rows[0] ?? {}
  if (!job_id || !since) return []
  const newest = { job_id, code: code ?? null, since: since.toISOString() }
  return [{ kind: 'dead_jobs', count, exact: count < MOST_DEAD, newest }]
}

async function openAlerts(reads: Services['reads']): Promise<Found> {
  const found = await reads.alert.findMany({
    where: { status: 'open', rule: { notIn: [...SAID_TWICE] } },
    orderBy: [{ opened_at: 'desc' }, { alert_id: 'desc' }],
    take: MOST_NEEDS,
  })
  return rowsOf('alert', found).map((row) => ({ kind: 'alert', alert: alertView(row) }))
}
