/** The queue's front: admission of waiting jobs and the claim, at most one active job an agent ([jobs#J2] to [jobs#J4]). */
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { type JobType, LEASE_SECONDS, PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import { fromNow, isoNow } from '#server/ledger/clock.ts'
import { type Db, sqlState, UNIQUE_VIOLATION } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { AGENT_GONE, AT_FENCE, LEASED_COLUMNS, type LeasedJob, WITH_ERROR } from './job-row.ts'

/** Waiting jobs of one agent that one round looks at, so that a large pile leaves room for the others. */
const PER_AGENT = 64
/** Jobs admitted in one round. */
const ADMIT = 256

/** Who claims, and how many jobs at most. */
export type Claim = { holder: string; limit: number }

/** J2: jobs of active agents enter the queue; those of others stay PENDING. Returns how many were admitted. */
export async function admitJobs(db: Db, limit: number): Promise<number> {
  const rows = await transition(db, {
    machine: 'job',
    event: 'admit',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.job_id = ANY((SELECT job_admissible(${PER_AGENT}))::uuid[])`,
    byKey: true,
    prepared: true,
    batch: { order: sql`o.priority, o.created_at, o.job_id`, limit },
    details: AT_FENCE,
    returning: ['job_id'],
  })
  return rows.length
}

/** J3: jobs that can never run (no such agent, an archived one, a type without a handler) end as invalid. Returns their ids. */
export async function refuseJobs(db: Db, known: readonly JobType[], limit = 200): Promise<string[]> {
  const gone = sql`NOT EXISTS (SELECT 1 FROM agent g WHERE g.slug = o.agent_slug AND g.status NOT IN ${AGENT_GONE})`
  const rows = await transition(db, {
    machine: 'job',
    event: 'refuse',
    actor: ORCHESTRATION_LAYER,
    where: sql`${gone} OR o.job_type <> ALL(${[...known]}::text[])`,
    batch: { order: sql`o.agent_slug, o.priority, o.created_at`, limit },
    set: sql`failure_kind = 'invalid', finished_at = clock_timestamp(), error = jsonb_build_object(
      'code', CASE WHEN t.job_type <> ALL(${[...known]}::text[]) THEN 'VALIDATION_ERROR' ELSE 'AGENT_NOT_ACTIVE' END,
      'message', CASE WHEN t.job_type <> ALL(${[...known]}::text[]) THEN 'Jobs of this type have no handler.' ELSE 'The agent does not exist or is archived.' END,
      'phase', t.status, 'retryable', false, 'at', ${isoNow})`,
    details: WITH_ERROR,
    returning: ['job_id'],
  })
  return rows.map((r) => r.job_id)
}

/**
 * J4: takes the head of the queue of every active agent that is idle, oldest heads first, at most `limit`. That an agent has one active job is enforced by
 * the unique index, not by this statement: when another worker takes a lane in the same moment, the statement fails with a unique violation
 * and nothing is taken.
 */
export async function pickUpJobs(db: Db, { holder, limit }: Claim): Promise<LeasedJob[]> {
  return transition<LeasedJob>(db, {
    machine: 'job',
    event: 'pick_up',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.job_id = ANY((SELECT job_heads(${limit}))::uuid[])`,
    byKey: true,
    prepared: true,
    batch: { order: sql`o.priority, o.created_at, o.job_id`, limit },
    set: sql`fence = t.fence + 1, lease_holder = ${holder}, lease_expires_at = ${fromNow(LEASE_SECONDS)},
      phase_deadline = ${fromNow(PHASE_LIMIT_SECONDS.CONTEXT_ASSEMBLY)}, not_before = NULL, wait_reason = NULL, wait_blocker = NULL`,
    details: AT_FENCE,
    returning: LEASED_COLUMNS,
  })
}

/**
 * Admits and claims in one commit. After a lost race for a lane the jobs are claimed one at a time, so that one contested agent does not
 * keep the others waiting; a lane that is contested even then belongs to the other worker. Not for use inside a transaction.
 */
export async function claimJobs({ db }: Pick<Services, 'db'>, claim: Claim): Promise<LeasedJob[]> {
  try {
    return await db.transaction(async (tx) => {
      await admitJobs(tx, ADMIT)
      return pickUpJobs(tx, claim)
    })
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    return claimOneByOne(db, claim)
  }
}

async function claimOneByOne(db: Db, { holder, limit }: Claim): Promise<LeasedJob[]> {
  const claimed: LeasedJob[] = []
  while (claimed.length < limit) {
    const more = await pickUpJobs(db, { holder, limit: 1 }).catch((error) => {
      if (sqlState(error) === UNIQUE_VIOLATION) return []
      throw error
    })
    if (more.length === 0) break
    claimed.push(...more)
  }
  return claimed
}
