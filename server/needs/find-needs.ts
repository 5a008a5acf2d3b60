/** What each kind of need finds. SQL: counts of several tables in one statement, each from an index of states. */

import sql, { empty, join, type Sql } from 'sql-template-tag'
import { MOST_NEEDS, type NeedView } from '#contracts/needs.contract.ts'
import { COMPONENTS, type Component, STALE_SECONDS } from '#contracts/system.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { alertMachine } from '#domain/alert/alert.machine.ts'
import type { Role } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'
import { type NeedKind, SAID_BY } from '#domain/inbox/needs.rules.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { INFRASTRUCTURE_FAILURES } from '#domain/proposal/proposal-commands.rules.ts'
import { listAgents } from '#server/agents/list-agents.query.ts'
import { alertView } from '#server/alerts/alert-view.ts'
import type { Db } from '#server/ledger/database.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { listProposals, proposalsById } from '#server/proposals/list-proposals.query.ts'
import { waitsForDecision } from '#server/proposals/proposal-row.ts'
import { openQuestions } from '#server/questions/list-questions.query.ts'
import { IN_OPEN } from '#server/questions/question-row.ts'
import type { Services } from '#server/services.ts'

type Found = Extract<NeedView, { kind: NeedView['kind'] }>[]

/** Dead jobs are counted up to here. */
const MOST_DEAD = 10_000
const DEAD = state(jobMachine, 'DEAD')
const OPEN_ALERT = state(alertMachine, 'open')
const FAILING = state(agentMachine, 'error')
const ILL_STATES = ['degraded', 'unavailable'] as const
const ILL = sql`c.status = ANY(${[...ILL_STATES]}) AND c.checked_at > clock_timestamp() - make_interval(secs => ${STALE_SECONDS})`
/** Nobody may push, or nobody knows who may; what remains of a lease runs out by the ledger's clock. */
const LEADERLESS = sql`(l.lease_state = 'unreadable' OR (l.lease_state <> 'absent' AND (l.needs_ui_selection
  OR l.remaining_seconds <= extract(epoch FROM clock_timestamp() - l.observed_at))))`

/** Failed proposals that this role may do something about. */
const retriable = (role: Role): Sql =>
  may(role, 'proposal.decide') ? empty : sql` AND p.error->>'code' IN (${join([...INFRASTRUCTURE_FAILURES])})`
/** Dead jobs in groups that nobody has resolved since, the newest of them. */
const UNRESOLVED = sql`(SELECT * FROM (SELECT job_id, created_at, error->>'code' AS code, error->>'phase' AS phase, coalesce(finished_at, updated_at) AS since
    FROM job WHERE status = ${DEAD} ORDER BY created_at DESC, job_id DESC LIMIT ${MOST_DEAD}) j
  WHERE NOT EXISTS (SELECT 1 FROM job_failure_resolution r WHERE r.code = j.code AND r.phase = j.phase AND r.through >= j.since))`

/** What a role may do something about. */
const RIGHTS = {
  proposal: 'proposal.decide',
  failed_proposal: 'proposal.retry',
  question: 'question.answer',
  agent: 'agent.change',
  component: 'health.read',
  project: 'leadership.select',
  dead_jobs: 'job.operate',
  alert: 'alert.acknowledge',
} as const satisfies Record<NeedKind, Action>
const sees = (role: Role, kind: NeedKind): boolean => may(role, RIGHTS[kind])

/** Conditions that this role is told of by another kind. */
const saidTwice = (role: Role): string[] =>
  (Object.keys(SAID_BY) as NeedKind[]).flatMap((kind) => (sees(role, kind) ? [...SAID_BY[kind]] : []))

const none: Sql = sql`0`
const counted = (is: boolean, from: Sql): Sql => (is ? sql`(SELECT count(*) FROM ${from})` : none)

/** How many needs a person of this role has, and how many of them are proposals to review. Dead jobs are one. */
export async function countNeeds(db: Db, role: Role): Promise<{ count: number; proposals: number }> {
  const { rows } = await db.query<{ others: number; proposals: number }>(sql`SELECT
    ${counted(sees(role, 'proposal'), sql`proposal p WHERE ${waitsForDecision('p')}`)}::int AS proposals,
    (${counted(sees(role, 'failed_proposal'), sql`proposal p WHERE p.status = ${state(proposalMachine, 'FAILED')}${retriable(role)}`)}
    + ${counted(sees(role, 'question'), sql`run_question q WHERE q.status = ${IN_OPEN}`)}
    + ${counted(sees(role, 'agent'), sql`agent WHERE status = ${FAILING}`)}
    + ${counted(sees(role, 'component'), sql`component_health c WHERE ${ILL}`)}
    + ${counted(sees(role, 'project'), sql`membridge_lease l WHERE ${LEADERLESS}`)}
    + ${counted(sees(role, 'dead_jobs'), sql`(SELECT 1 FROM ${UNRESOLVED} u LIMIT 1) d`)}
    + ${counted(sees(role, 'alert'), sql`alert a WHERE a.status = ${OPEN_ALERT} AND a.condition <> ALL(${saidTwice(role)})`)})::int AS others`)
  const { others = 0, proposals = 0 } = rows[0] ?? {}
  return { count: others + proposals, proposals }
}

type Parts = Pick<Services, 'db' | 'reads' | 'garden' | 'executors'>

/** Everything of every kind that this role may act upon, each kind bounded. */
export async function findNeeds(parts: Parts, role: Role): Promise<NeedView[]> {
  const found = await Promise.all([
    sees(role, 'proposal') ? toReview(parts, role) : [],
    sees(role, 'failed_proposal') ? failed(parts, role) : [],
    sees(role, 'question') ? asked(parts.db) : [],
    sees(role, 'agent') ? failingAgents(parts) : [],
    sees(role, 'component') ? illComponents(parts.db) : [],
    sees(role, 'project') ? leaderless(parts.db) : [],
    sees(role, 'dead_jobs') ? deadJobs(parts.db) : [],
    sees(role, 'alert') ? openAlerts(parts.reads, role) : [],
  ])
  return found.flat()
}

/** In the order of their review; and what expires within a day, whatever stands against it. */
async function toReview(parts: Parts, role: Role): Promise<Found> {
  const { items } = await listProposals(
    parts,
    { status: ['PENDING'], sort: 'to_decide', limit: MOST_NEEDS },
    role,
  )
  const { rows } = await parts.db.query<{ proposal_id: string }>(sql`SELECT p.proposal_id FROM proposal p
    WHERE ${waitsForDecision('p')} AND p.expires_at < clock_timestamp() + interval '24 hours'
    ORDER BY p.expires_at LIMIT ${MOST_NEEDS}`)
  const listed = new Set(items.map(({ proposal_id }) => proposal_id))
  const others = rows.map(({ proposal_id }) => proposal_id).filter((id) => !listed.has(id))
  const expiring = await proposalsById(parts, others, role)
  return [...expiring, ...items].map((proposal) => ({ kind: 'proposal', proposal }))
}

/** Those that this role can do something about, the newest first. */
async function failed(parts: Parts, role: Role): Promise<Found> {
  const { rows } = await parts.db.query<{ proposal_id: string }>(sql`SELECT p.proposal_id FROM proposal p
    WHERE p.status = ${state(proposalMachine, 'FAILED')}${retriable(role)} ORDER BY p.created_at DESC, p.proposal_id DESC LIMIT ${MOST_NEEDS}`)
  const items = await proposalsById(
    parts,
    rows.map(({ proposal_id }) => proposal_id),
    role,
  )
  return items.map((proposal) => ({ kind: 'failed_proposal', proposal }))
}

async function asked(db: Db): Promise<Found> {
  const questions = await openQuestions(db, MOST_NEEDS)
  return questions.map((question) => ({ kind: 'question', question }))
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

type DeadRow = { count: number; job_id: string; code: string | null; since: Date }

async function deadJobs(db: Db): Promise<Found> {
  const { rows } =
    await db.query<DeadRow>(sql`SELECT count(*) OVER ()::int AS count, u.job_id::text, u.code, u.since
    FROM ${UNRESOLVED} u ORDER BY u.created_at DESC, u.job_id DESC LIMIT 1`)
  return rows.map(({ count, job_id, code, since }) => ({
    kind: 'dead_jobs',
    ...{ count, exact: count < MOST_DEAD },
    newest: { job_id, code, since: since.toISOString() },
  }))
}

async function openAlerts(reads: Services['reads'], role: Role): Promise<Found> {
  const found = await reads.alert.findMany({
    where: { status: 'open', condition: { notIn: saidTwice(role) } },
    orderBy: [{ opened_at: 'desc' }, { alert_id: 'desc' }],
    take: MOST_NEEDS,
  })
  return rowsOf('alert', found).map((row) => ({ kind: 'alert', alert: alertView(row) }))
}
