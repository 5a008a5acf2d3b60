import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { LEASE_SECONDS, PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { fromNow } from '#server/ledger/clock.ts'
import { type Db, sqlState, UNIQUE_VIOLATION } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { admitJobs } from './admit-jobs.ts'
import { AT_FENCE, HELD_COLUMNS, type HeldJob } from './held-job.ts'

/** Jobs let into the queue by one round. */
const ADMIT = 256

/**
 * J4: takes the head of the queue of every idle agent, oldest heads first, at most `limit`. One active job an agent is the unique
 * index's doing, not this statement's: when somebody else took a lane in the same moment the statement fails with a unique
 * violation and nothing is taken.
 */
export async function pickUpJobs(
  db: Db,
  { holder, limit }: { holder: string; limit: number },
): Promise<HeldJob[]> {
  return move<HeldJob>(db, {
    machine: 'job',
    event: 'pick_up',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.job_id = ANY(job_heads(${limit}))`,
    keyed: true,
    hot: true,
    batch: { order: sql`o.priority, o.created_at, o.job_id`, limit },
    set: sql`fence = t.fence + 1, lease_holder = ${holder}, lease_expires_at = ${fromNow(LEASE_SECONDS)},
      phase_deadline = ${fromNow(PHASE_LIMIT_SECONDS.CONTEXT_ASSEMBLY)}, not_before = NULL, wait_reason = NULL, wait_blocker = NULL`,
    details: AT_FENCE,
    returning: HELD_COLUMNS,
  })
}

/**
 * Admits and picks up in one commit. A lane lost to another worker is tried again job by job, so that one contested agent does not
 * keep the others waiting; what is contested even then is somebody else's.
 */
export async function claimJobs(
  { database }: Pick<Services, 'database'>,
  who: { holder: string; limit: number },
): Promise<HeldJob[]> {
  try {
    return await database.transaction(async (tx) => {
      await admitJobs(tx, ADMIT)
      return pickUpJobs(tx, who)
    })
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    return oneByOne(database, who)
  }
}

async function oneByOne(db: Db, { holder, limit }: { holder: string; limit: number }): Promise<HeldJob[]> {
  const taken: HeldJob[] = []
  while (taken.length < limit) {
    const more = await pickUpJobs(db, { holder, limit: 1 }).catch((error) => {
      if (sqlState(error) === UNIQUE_VIOLATION) return []
      throw error
    })
    if (more.length === 0) break
    taken.push(...more)
  }
  return taken
}
