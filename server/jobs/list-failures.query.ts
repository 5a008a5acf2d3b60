/** Failures in groups. SQL: several aggregates of one bounded walk along an index. */
import sql, { join, type Sql } from 'sql-template-tag'
import { COUNT_CAP } from '#contracts/job.contract.ts'
import type { JobFailures, JobFailuresInput } from '#contracts/job-failures.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { FAILURE_KIND_OF } from '#domain/job/job.rules.ts'
import { requireAuthority } from '#server/ledger/authority-check.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { ENDED_BADLY } from './list-jobs.query.ts'

const GROUPS = 100
const HOURS = 24
const SAMPLES = 5

type Group = JobFailures['groups'][number]
type Resolution = Row<'job_failure_resolution', 'through' | 'resolved_by' | 'resolved_at' | 'reason'>
type GroupRow = Omit<Group, 'first_at' | 'last_at' | 'resolution'> & {
  first_at: Date
  last_at: Date
  looked_at: number
} & { [C in keyof Resolution]: Resolution[C] | null }

/**
 * FAILED and DEAD jobs grouped by code and phase of their error, with the most frequent message, ids, addresses and numbers taken out of it.
 * Cancelled jobs are no failures. Looks at the newest 10 000; `exact` is false when there are more. A group that a person resolved is listed
 * apart, until a job fails in that way again.
 */
export async function listFailures(
  { db }: Pick<Services, 'db'>,
  { resolved }: JobFailuresInput,
  caller: Caller,
): Promise<JobFailures> {
  await requireAuthority(db, caller, 'job', 'read', { own: false })
  const { rows } = await db.query<GroupRow>(failureGroups())
  const groups = rows.filter((row) => isResolved(row) === (resolved === 'yes'))
  return {
    groups: groups.map(viewOf),
    others: rows.length - groups.length,
    exact: (rows[0]?.looked_at ?? 0) < COUNT_CAP && rows.length < GROUPS,
  }
}

/** How many of the group ended in each hour, oldest first. */
const BY_HOUR: Sql = join(
  Array.from(
    { length: HOURS },
    (_, n) => sql`coalesce(sum(n) FILTER (WHERE hours_ago = ${HOURS - 1 - n}), 0)`,
  ),
)
const failed = state(jobMachine, 'FAILED')
const dead = state(jobMachine, 'DEAD')

/**
 * At most `COUNT_CAP` entries of `job_failures` and none of their rows, however many jobs there are: what else is asked of a job comes after the limit,
 * or the planner would sort them all. They are counted once in cells that are alike, and the groups are made of the cells.
 */
export const failureGroups = (): Sql => sql`WITH ended AS MATERIALIZED (
      SELECT job_id, status, agent_slug, finished_at, failure[1] AS code, failure[2] AS phase, failure[3] AS pattern,
        floor(date_part('epoch', clock_timestamp() - finished_at) / 3600) AS hours_ago
      FROM job WHERE status IN ${states(jobMachine, ...ENDED_BADLY)} AND failure_kind IS DISTINCT FROM ${FAILURE_KIND_OF.cancel}
      ORDER BY finished_at DESC, job_id DESC LIMIT ${COUNT_CAP}
    ), cells AS MATERIALIZED (
      SELECT code, phase, pattern, agent_slug, status, hours_ago, count(*) AS n, min(finished_at) AS first_at, max(finished_at) AS last_at
      FROM ended WHERE code IS NOT NULL GROUP BY code, phase, pattern, agent_slug, status, hours_ago
    ), grouped AS (
      SELECT code, phase, count(DISTINCT pattern) AS patterns, sum(n)::int AS count,
        coalesce(sum(n) FILTER (WHERE status = ${failed}), 0)::int AS failed, coalesce(sum(n) FILTER (WHERE status = ${dead}), 0)::int AS dead,
        (array_agg(DISTINCT agent_slug))[1:20] AS agents, min(first_at) AS first_at, max(last_at) AS last_at, ARRAY[${BY_HOUR}]::int[] AS hours,
        (SELECT count(*) FROM ended) AS looked_at
      FROM cells GROUP BY code, phase ORDER BY sum(n) DESC, max(last_at) DESC LIMIT ${GROUPS}
    ), usual AS (
      SELECT DISTINCT ON (code, phase) code, phase, pattern FROM cells GROUP BY code, phase, pattern ORDER BY code, phase, sum(n) DESC, pattern
    ), newest AS (
      SELECT code, phase, array_agg(job_id ORDER BY place) AS ids FROM (
        SELECT code, phase, job_id, row_number() OVER (PARTITION BY code, phase ORDER BY finished_at DESC) AS place FROM ended) placed
      WHERE place <= ${SAMPLES} GROUP BY code, phase
    )
    SELECT g.*, u.pattern, s.ids::text[] AS sample_job_ids, r.through, r.resolved_by, r.resolved_at, r.reason,
      (SELECT coalesce(j.error->>'message', '') FROM job j WHERE j.job_id = s.ids[1]) AS sample_message
    FROM grouped g JOIN usual u USING (code, phase) JOIN newest s USING (code, phase) LEFT JOIN LATERAL (
      SELECT * FROM job_failure_resolution r WHERE r.code = g.code AND r.phase = g.phase ORDER BY r.through DESC LIMIT 1) r ON true
    ORDER BY g.count DESC, g.last_at DESC`

const isResolved = ({ through, last_at }: GroupRow): boolean => through !== null && through >= last_at

function viewOf(row: GroupRow): Group {
  const { looked_at: _, first_at, last_at, through: __, resolved_by, resolved_at, reason, ...group } = row
  const at = resolved_at?.toISOString()
  return {
    ...group,
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
    resolution: resolved_by !== null && reason !== null && at ? { by: resolved_by, reason, at } : null,
  }
}
