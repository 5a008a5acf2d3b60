/** How much waits. SQL: counts of several tables in one statement, each from an index of states. */
import sql, { type Sql } from 'sql-template-tag'
import type { Role } from '#domain/authority/caller.ts'
import type { DigestCounts } from '#domain/inbox/digest.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { IN_OPEN } from '#server/questions/question-row.ts'
import {
  EXPIRING,
  FAILING,
  ILL,
  IN_CONFLICT,
  IS_FAILED,
  LEADERLESS,
  OPEN_ALERT,
  retriable,
  saidTwice,
  sees,
  TO_REVIEW,
  UNRESOLVED,
} from './need-conditions.ts'

const none: Sql = sql`0`
const counted = (is: boolean, from: Sql): Sql => (is ? sql`(SELECT count(*) FROM ${from})` : none)

/** What waits for a person of this role, by the parts of a digest. Dead jobs are counted one by one. */
export async function countKinds(db: Db, role: Role): Promise<DigestCounts> {
  const proposals = (and: Sql) => counted(sees(role, 'proposal'), sql`proposal p WHERE ${TO_REVIEW}${and}`)
  const { rows } = await db.query<DigestCounts>(sql`SELECT
    ${proposals(sql` AND ${EXPIRING}`)}::int AS expiring,
    ${proposals(sql` AND ${IN_CONFLICT}`)}::int AS conflicts,
    ${proposals(sql``)}::int AS proposals,
    ${counted(sees(role, 'failed_proposal'), sql`proposal p WHERE ${IS_FAILED}${retriable(role)}`)}::int AS failed,
    ${counted(sees(role, 'question'), sql`run_question q WHERE q.status = ${IN_OPEN}`)}::int AS questions,
    ${counted(sees(role, 'dead_jobs'), sql`${UNRESOLVED} u`)}::int AS dead_jobs,
    (${counted(sees(role, 'agent'), sql`agent WHERE status = ${FAILING}`)}
    + ${counted(sees(role, 'component'), sql`component_health c WHERE ${ILL}`)}
    + ${counted(sees(role, 'project'), sql`membridge_lease l WHERE ${LEADERLESS}`)}
    + ${counted(sees(role, 'alert'), sql`alert a WHERE a.status = ${OPEN_ALERT} AND a.condition <> ALL(${saidTwice(role)})`)})::int AS other`)
  return rows[0] as DigestCounts
}

/** How many needs a person of this role has, and how many of them are proposals to review. Dead jobs are one. */
export async function countNeeds(db: Db, role: Role): Promise<{ count: number; proposals: number }> {
  const { rows } = await db.query<{ others: number; proposals: number }>(
    prepared(sql`SELECT
    ${counted(sees(role, 'proposal'), sql`proposal p WHERE ${TO_REVIEW}`)}::int AS proposals,
    (${counted(sees(role, 'failed_proposal'), sql`proposal p WHERE ${IS_FAILED}${retriable(role)}`)}
    + ${counted(sees(role, 'question'), sql`run_question q WHERE q.status = ${IN_OPEN}`)}
    + ${counted(sees(role, 'agent'), sql`agent WHERE status = ${FAILING}`)}
    + ${counted(sees(role, 'component'), sql`component_health c WHERE ${ILL}`)}
    + ${counted(sees(role, 'project'), sql`membridge_lease l WHERE ${LEADERLESS}`)}
    + ${counted(sees(role, 'dead_jobs'), sql`(SELECT 1 FROM ${UNRESOLVED} u LIMIT 1) d`)}
    + ${counted(sees(role, 'alert'), sql`alert a WHERE a.status = ${OPEN_ALERT} AND a.condition <> ALL(${saidTwice(role)})`)})::int AS others`),
  )
  const { others = 0, proposals = 0 } = rows[0] ?? {}
  return { count: others + proposals, proposals }
}
