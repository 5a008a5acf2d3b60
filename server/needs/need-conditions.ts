/** Who is shown which kind of need, and the conditions under which it waits, as SQL. */

import sql, { empty, join, type Sql } from 'sql-template-tag'
import { STALE_SECONDS } from '#contracts/system.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { alertMachine } from '#domain/alert/alert.machine.ts'
import type { Role } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'
import { type NeedKind, SAID_BY } from '#domain/inbox/needs.rules.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { INFRASTRUCTURE_FAILURES } from '#domain/proposal/proposal-commands.rules.ts'
import { state } from '#server/ledger/states.ts'
import { waitsForDecision } from '#server/proposals/proposal-row.ts'

/** A proposal that a person is to decide about now. */
export const TO_REVIEW = waitsForDecision('p')
export const IS_FAILED = sql`p.status = ${state(proposalMachine, 'FAILED')}`
/** Of those to review: what ends within a day, and what the garden contradicts. */
export const EXPIRING = sql`p.expires_at < clock_timestamp() + interval '24 hours'`
export const IN_CONFLICT = sql`p.review_class >= 2`

/** Dead jobs are counted up to here. */
export const MOST_DEAD = 10_000
const DEAD = state(jobMachine, 'DEAD')
export const OPEN_ALERT = state(alertMachine, 'open')
export const FAILING = state(agentMachine, 'error')
export const ILL_STATES = ['degraded', 'unavailable'] as const
export const ILL = sql`c.status = ANY(${[...ILL_STATES]}) AND c.checked_at > clock_timestamp() - make_interval(secs => ${STALE_SECONDS})`
/** Nobody may push, or nobody knows who may; what remains of a lease runs out by the ledger's clock. */
export const LEADERLESS = sql`(l.lease_state = 'unreadable' OR (l.lease_state <> 'absent' AND (l.needs_ui_selection
  OR l.remaining_seconds <= extract(epoch FROM clock_timestamp() - l.observed_at))))`

/** Failed proposals that this role may do something about. */
export const retriable = (role: Role): Sql =>
  may(role, 'proposal.decide') ? empty : sql` AND p.error->>'code' IN (${join([...INFRASTRUCTURE_FAILURES])})`
/** Dead jobs in groups that nobody has resolved since, the newest of them. */
export const UNRESOLVED = sql`(SELECT * FROM (SELECT job_id, created_at, error->>'code' AS code, error->>'phase' AS phase, coalesce(finished_at, updated_at) AS since
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
export const sees = (role: Role, kind: NeedKind): boolean => may(role, RIGHTS[kind])

/** Conditions that this role is told of by another kind. */
export const saidTwice = (role: Role): string[] =>
  (Object.keys(SAID_BY) as NeedKind[]).flatMap((kind) => (sees(role, kind) ? [...SAID_BY[kind]] : []))
