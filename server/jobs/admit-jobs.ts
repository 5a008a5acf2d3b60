import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { JobType } from '#domain/job/job.rules.ts'
import { isoNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { AT_FENCE, WITH_ERROR } from './held-job.ts'

/** Waiting jobs of one agent that one round looks at, so that a large pile leaves room for the others. */
const PER_AGENT = 64

/** J2: jobs of active agents enter the queue; those of an agent at rest stay PENDING. Returns how many were admitted. */
export async function admitJobs(db: Db, limit: number): Promise<number> {
  const rows = await move(db, {
    machine: 'job',
    event: 'admit',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.job_id = ANY(job_admissible(${PER_AGENT}))`,
    keyed: true,
    hot: true,
    batch: { order: sql`o.priority, o.created_at, o.job_id`, limit },
    details: AT_FENCE,
    returning: sql`m.job_id`,
  })
  return rows.length
}

/** J3: jobs that can never run (no such agent, an archived one, a type without a handler) end as invalid. Returns them. */
export async function refuseJobs(db: Db, known: readonly JobType[], limit = 200): Promise<string[]> {
  const gone = sql`NOT EXISTS (SELECT 1 FROM agent g WHERE g.slug = o.agent_slug AND g.status NOT IN ('archived', 'deleted'))`
  const rows = await move<{ job_id: string }>(db, {
    machine: 'job',
    event: 'refuse',
    actor: ORCHESTRATION_LAYER,
    where: sql`${gone} OR o.job_type <> ALL(${[...known]}::text[])`,
    batch: { order: sql`o.agent_slug, o.priority, o.created_at`, limit },
    set: sql`failure_kind = 'invalid', finished_at = clock_timestamp(), error = jsonb_build_object(
      'code', CASE WHEN t.job_type <> ALL(${[...known]}::text[]) THEN 'VALIDATION_ERROR' ELSE 'AGENT_NOT_ACTIVE' END,
      'message', CASE WHEN t.job_type <> ALL(${[...known]}::text[]) THEN 'no handler for this type of job' ELSE 'the agent does not exist or is archived' END,
      'phase', t.status, 'retryable', false, 'at', ${isoNow})`,
    details: WITH_ERROR,
    returning: sql`m.job_id`,
  })
  return rows.map((r) => r.job_id)
}
