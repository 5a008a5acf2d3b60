/** What each kind of need finds. */
import sql from 'sql-template-tag'
import { MOST_NEEDS, type NeedView } from '#contracts/needs.contract.ts'
import { COMPONENTS, type Component } from '#contracts/system.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { listAgents } from '#server/agents/list-agents.query.ts'
import { alertView } from '#server/alerts/alert-view.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import { listProposals, proposalsById } from '#server/proposals/list-proposals.query.ts'
import { openQuestions } from '#server/questions/list-questions.query.ts'
import type { Services } from '#server/services.ts'
import {
  EXPIRING,
  ILL,
  type ILL_STATES,
  IS_FAILED,
  LEADERLESS,
  MOST_DEAD,
  retriable,
  saidTwice,
  sees,
  TO_REVIEW,
  UNRESOLVED,
} from './need-conditions.ts'

type Found = Extract<NeedView, { kind: NeedView['kind'] }>[]

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
  const { rows } = await parts.db.query<{ proposal_id: string }>(
    prepared(sql`SELECT p.proposal_id FROM proposal p
    WHERE ${TO_REVIEW} AND ${EXPIRING}
    ORDER BY p.expires_at LIMIT ${MOST_NEEDS}`),
  )
  const listed = new Set(items.map(({ proposal_id }) => proposal_id))
  const others = rows.map(({ proposal_id }) => proposal_id).filter((id) => !listed.has(id))
  const expiring = await proposalsById(parts, others, role)
  return [...expiring, ...items].map((proposal) => ({ kind: 'proposal', proposal }))
}

/** Those that this role can do something about, the newest first. */
async function failed(parts: Parts, role: Role): Promise<Found> {
  const { rows } = await parts.db.query<{ proposal_id: string }>(
    prepared(sql`SELECT p.proposal_id FROM proposal p
    WHERE ${IS_FAILED}${retriable(role)} ORDER BY p.created_at DESC, p.proposal_id DESC LIMIT ${MOST_NEEDS}`),
  )
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
    prepared(
      sql`SELECT c.component, c.status, c.message, c.last_success_at FROM component_health c WHERE ${ILL}`,
    ),
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
  const { rows } = await db.query<LeaderlessRow>(
    prepared(sql`SELECT l.canonical_id, p.name,
      l.lease_state = 'unreadable' AS unreadable, l.observed_at
    FROM membridge_lease l JOIN membridge_project p ON p.canonical_id = l.canonical_id
    WHERE ${LEADERLESS} ORDER BY l.canonical_id LIMIT ${MOST_NEEDS}`),
  )
  return rows.map(({ canonical_id, name, unreadable, observed_at }) => ({
    kind: 'project',
    ...{ canonical_id, name, reason: unreadable ? 'unreadable' : 'no_primary' },
    since: observed_at?.toISOString() ?? null,
  }))
}

type DeadRow = { count: number; job_id: string; code: string | null; since: Date }

async function deadJobs(db: Db): Promise<Found> {
  const { rows } = await db.query<DeadRow>(
    prepared(sql`SELECT count(*) OVER ()::int AS count, u.job_id::text, u.code, u.since
    FROM ${UNRESOLVED} u ORDER BY u.created_at DESC, u.job_id DESC LIMIT 1`),
  )
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
