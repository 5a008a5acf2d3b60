/** Failures in groups. SQL: it groups by folded text. */
import sql from 'sql-template-tag'
import { COUNT_CAP, type JobFailures } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { FAILURE_KIND_OF } from '#domain/job/job.rules.ts'
import { requireAuthority } from '#server/ledger/authority-check.ts'
import { state, states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { ENDED_BADLY } from './list-jobs.query.ts'

const GROUPS = 100

type GroupRow = Omit<JobFailures['groups'][number], 'last_at'> & { last_at: Date; looked_at: number }

/**
 * FAILED and DEAD jobs grouped by code and phase of their error, with the most frequent message, ids, addresses and numbers taken out of it.
 * Cancelled jobs are no failures. Looks at the newest 10 000; `exact` is false when there are more.
 */
export async function listFailures({ db }: Pick<Services, 'db'>, caller: Caller): Promise<JobFailures> {
  await requireAuthority(db, caller, 'job', 'read', { own: false })
  const { rows } = await db.query<GroupRow>(sql`WITH ended AS (
      SELECT job_id, status, agent_slug, finished_at, error->>'code' AS code, error->>'phase' AS phase, coalesce(error->>'message', '') AS message
      FROM job WHERE status IN ${states(jobMachine, ...ENDED_BADLY)} AND error IS NOT NULL AND failure_kind IS DISTINCT FROM ${FAILURE_KIND_OF.cancel}
      ORDER BY finished_at DESC, job_id DESC LIMIT ${COUNT_CAP}
    ), folded AS (
      SELECT *, left(regexp_replace(regexp_replace(regexp_replace(message, 'https?://[^[:space:]"]+', '<url>', 'g'),
        '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{12,}', '<id>', 'g'), '[0-9]+', '<n>', 'g'), 300) AS pattern FROM ended
    )
    SELECT code, phase, mode() WITHIN GROUP (ORDER BY pattern) AS pattern, count(DISTINCT pattern) AS patterns,
      (array_agg(message ORDER BY finished_at DESC))[1] AS sample_message, count(*) AS count,
      count(*) FILTER (WHERE status = ${state(jobMachine, 'FAILED')}) AS failed, count(*) FILTER (WHERE status = ${state(jobMachine, 'DEAD')}) AS dead,
      (array_agg(DISTINCT agent_slug))[1:20] AS agents, max(finished_at) AS last_at,
      (array_agg(job_id::text ORDER BY finished_at DESC))[1:5] AS sample_job_ids, (SELECT count(*) FROM ended) AS looked_at
    FROM folded GROUP BY code, phase ORDER BY count(*) DESC, max(finished_at) DESC LIMIT ${GROUPS}`)
  return {
    groups: rows.map(({ looked_at: _, ...g }) => ({ ...g, last_at: g.last_at.toISOString() })),
    exact: (rows[0]?.looked_at ?? 0) < COUNT_CAP && rows.length < GROUPS,
  }
}
