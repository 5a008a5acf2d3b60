/**
 * What waits of each topic, as SQL over the ledger: `subject` names it, `since` when it began to wait, and what a notification may say of it. A thing
 * that begins to wait anew has another subject. Never more than a summary leaves the ledger.
 */
import sql, { join, type Sql } from 'sql-template-tag'
import type { Role } from '#domain/authority/caller.ts'
import { RISK_LEVELS } from '#domain/proposal/risk.rules.ts'
import type { PushTopic } from '#domain/push/push.rules.ts'
import {
  EXPIRING,
  FAILING,
  IS_FAILED,
  retriable,
  sees,
  TO_REVIEW,
  UNRESOLVED,
} from '#server/needs/need-conditions.ts'
import { IN_OPEN } from '#server/questions/question-row.ts'

const HIGH = RISK_LEVELS.indexOf('high')
const PROPOSAL_URL = sql`'/proposals/' || p.proposal_id`

/** Where several things of a topic are read. */
export const TOPIC_PAGES = {
  high_risk: '/proposals',
  expiring: '/proposals',
  question: '/inbox',
  failed: '/inbox',
  digest: '/inbox',
} as const satisfies Record<PushTopic, string>

type WatchedTopic = Exclude<PushTopic, 'digest'>

/** A relation of `subject`, `since`, `summary` and `url`. */
export const waitingOf = (topic: WatchedTopic, role: Role): Sql => sql`(${WAITING[topic](role)})`

const WAITING: Record<WatchedTopic, (role: Role) => Sql> = {
  high_risk:
    () => sql`SELECT p.proposal_id AS subject, p.created_at AS since, p.summary, ${PROPOSAL_URL} AS url
    FROM proposal p WHERE ${TO_REVIEW} AND p.risk_rank = ${HIGH}::int`,
  expiring: () => sql`SELECT p.proposal_id || '@' || extract(epoch FROM p.expires_at)::bigint AS subject,
      greatest(p.created_at, p.expires_at - interval '24 hours') AS since, p.summary, ${PROPOSAL_URL} AS url
    FROM proposal p WHERE ${TO_REVIEW} AND ${EXPIRING}`,
  question:
    () => sql`SELECT q.question_id::text AS subject, q.asked_at AS since, q.agent_slug AS summary, '/runs/' || q.run_id AS url
    FROM run_question q WHERE q.status = ${IN_OPEN}`,
  failed: (role) => join(failures(role), ' UNION ALL '),
}

const failures = (role: Role): Sql[] => [
  ...(sees(role, 'failed_proposal')
    ? [
        sql`SELECT p.proposal_id || '@' || p.attempt AS subject, p.updated_at AS since, p.summary, ${PROPOSAL_URL} AS url
    FROM proposal p WHERE ${IS_FAILED}${retriable(role)}`,
      ]
    : []),
  ...(sees(role, 'agent')
    ? [
        sql`SELECT a.slug || '@' || md5(a.error::text), a.updated_at, a.name, '/agents/' || a.slug
    FROM agent a WHERE a.status = ${FAILING}`,
      ]
    : []),
  sql`SELECT u.job_id || '@' || extract(epoch FROM u.since)::bigint, u.since, u.code, '/jobs/' || u.job_id FROM ${UNRESOLVED} u`,
]
