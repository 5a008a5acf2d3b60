/** Failures in groups. SQL: it groups by folded text. */
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
  Array.from({ length: HOURS }, (_, n) => sql`count(*) FILTER (WHERE hours_ago = ${HOURS - 1 - n})`),
)

/** At most `COUNT_CAP` rows along `job_failures`, however many jobs there are: what else is asked of a row comes after the limit, or the planner would sort them all. */
export const failureGroups = (): Sql => sql`WITH ended AS (
      SELECT job_id, status, agent_slug, finished_at, error->>'code' AS code, error->>'phase' AS phase, coalesce(error->>'message', '') AS message
      FROM job WHERE status IN ${states(jobMachine, ...ENDED_BADLY)} AND failure_kind IS DISTINCT FROM ${FAILURE_KIND_OF.cancel}
      ORDER BY finished_at DESC, job_id DESC LIMIT ${COUNT_CAP}
    ), folded AS (
      SELECT *, floor(extract(epoch FROM clock_timestamp() - finished_at) / 3600) AS hours_ago,
        left(regexp_replace(regexp_replace(regexp_replace(message, 'https?://[^[:space:]"]+', '<url>', 'g'),
        '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{12,}', '<id>', 'g'), '[0-9]+', '<n>', 'g'), 300) AS pattern FROM ended WHERE code IS NOT NULL
    ), grouped AS (
      SELECT code, phase, mode() WITHIN GROUP (ORDER BY pattern) AS pattern, count(DISTINCT pattern) AS patterns,
        (array_agg(message ORDER BY finished_at DESC))[1] AS sample_message, count(*) AS count,
        count(*) FILTER (WHERE status = ${state(jobMachine, 'FAILED')}) AS failed, count(*) FILTER (WHERE status = ${state(jobMachine, 'DEAD')}) AS dead,
        (array_agg(DISTINCT agent_slug))[1:20] AS agents, min(finished_at) AS first_at, max(finished_at) AS last_at, ARRAY[${BY_HOUR}]::int[] AS hours,
        (array_agg(job_id::text ORDER BY finished_at DESC))[1:5] AS sample_job_ids, (SELECT count(*) FROM ended) AS looked_at
      FROM folded GROUP BY code, phase ORDER BY count(*) DESC, max(finished_at) DESC LIMIT ${GROUPS}
    )
    SELECT g.*, r.through, r.resolved_by, r.resolved_at, r.reason FROM grouped g LEFT JOIN LATERAL (
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
