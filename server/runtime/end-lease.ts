/**
 * How a lease ends when no answer came: it ran out (T8, T9), or the node certainly did not take the task (T10). The lease first, then the task under
 * its fence, then the attempt and the breaker, in one transaction for each lease: one worker's rows are locked at a time.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { countsForBreaker, type TaskErrorCode } from '#domain/task/failure.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import { countFailure } from './count-failure.ts'
import { ACTIVE, LEASED, RUNTIME } from './runtime-rows.ts'

const BATCH = 200

type Ended = Row<'task_lease', 'lease_id' | 'task_id' | 'worker_id' | 'fence'>
const ENDED = ['lease_id', 'task_id', 'worker_id', 'fence'] as const

/** Every lease that has run out, leased and running alike [runtime#lease]. Returns how many were ended. */
export async function reapTaskLeases({ db }: { db: Db }): Promise<number> {
  const { rows } = await db.query<{ lease_id: string }>(
    sql`SELECT l.lease_id FROM task_lease l WHERE l.status = ${ACTIVE} AND l.expires_at < clock_timestamp() ORDER BY l.expires_at LIMIT ${BATCH}`,
  )
  let ended = 0
  for (const { lease_id } of rows) if (await expireLease(db, lease_id)) ended++
  return ended
}

const RAN_OUT = 'The worker stopped responding before the lease ended.'

const expireLease = (db: Db, leaseId: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    const lease = await markLeaseLost(
      tx,
      sql`o.lease_id = ${leaseId} AND o.expires_at < clock_timestamp()`,
      RUNTIME,
    )
    if (!lease) return false
    await passOn(tx, lease, { message: RAN_OUT, actor: RUNTIME })
    return true
  })

/** A person takes the task from its worker before the lease ends; false when there is no such active lease. */
export const releaseByForce = (db: Db, leaseId: string, reason: string, caller: Caller): Promise<boolean> =>
  db.transaction(async (tx) => {
    const lease = await markLeaseLost(tx, sql`o.lease_id = ${leaseId}`, caller, reason)
    if (!lease) return false
    await passOn(tx, lease, {
      message: 'Somebody took the task from this worker.',
      actor: caller,
      forced: true,
    })
    return true
  })

async function markLeaseLost(tx: Db, where: Sql, actor: Caller, reason?: string): Promise<Ended | undefined> {
  const [lease] = await transition(tx, {
    machine: 'task_lease',
    event: 'expire',
    actor,
    reason,
    prepared: true,
    where,
    set: sql`ended_at = clock_timestamp()`,
    details: sql`jsonb_build_object('worker_id', m.worker_id, 'fence', m.fence)`,
    returning: ENDED,
  })
  return lease
}

type Passed = { message: string; actor: Caller; forced?: true }

/** T8, or T9 when no attempt is left: the task is left out of the hands of this worker once. */
async function passOn(tx: Db, lease: Ended, { message, actor, forced }: Passed): Promise<void> {
  const code: TaskErrorCode = 'worker_crash'
  const of = sql`o.task_id = ${lease.task_id} AND o.fence = ${lease.fence}`
  const why = sql`error_code = ${code}, last_error = ${message}`
  const moved = {
    machine: 'llm_task',
    actor,
    prepared: true,
    details: sql`jsonb_build_object('lease_id', m.lease_id, 'worker_id', m.worker_id, 'fence', m.fence, 'attempt', m.attempts)`,
    returning: ['task_id'],
  } as const
  const again = await transition(tx, {
    ...moved,
    event: 'expire',
    where: sql`${of} AND o.attempts < o.max_attempts`,
    set: sql`${why}, not_before = clock_timestamp(), excluded_worker_id = ${lease.worker_id}`,
  })
  if (again.length === 0)
    await transition(tx, {
      ...moved,
      event: 'expire_dead',
      where: sql`${of} AND o.attempts >= o.max_attempts`,
      set: sql`${why}, ended_at = clock_timestamp()`,
    })
  await closeAttempt(tx, lease.lease_id, { outcome: 'expired', code, message })
  if (!forced) await countFailure(tx, lease.worker_id)
}

/** What the node answered, or did not. `restSeconds`: it is only busy, and rests for so long. */
export type NotTaken = { message: string; restSeconds?: number }

/** T10: the attempt is given back, the fence stays; false when the lease is not active any more. */
export async function handBack(db: Db, leaseId: string, why: NotTaken): Promise<boolean> {
  try {
    return await db.transaction((tx) => handBackIn(tx, leaseId, why))
  } catch (error) {
    if (error instanceof NodeHasIt) return false
    throw error
  }
}

async function handBackIn(tx: Db, leaseId: string, { message, restSeconds }: NotTaken): Promise<boolean> {
  const [lease] = await transition(tx, {
    machine: 'task_lease',
    event: 'fail',
    actor: RUNTIME,
    prepared: true,
    where: sql`o.lease_id = ${leaseId} AND EXISTS (SELECT FROM llm_task t WHERE t.task_id = o.task_id AND t.status = ${LEASED})`,
    set: sql`ended_at = clock_timestamp()`,
    returning: ENDED,
  })
  if (!lease) return false
  if (restSeconds !== undefined)
    await tx.query(
      sql`UPDATE worker_node SET rate_limited_until = clock_timestamp() + make_interval(secs => ${restSeconds}) WHERE worker_id = ${lease.worker_id}`,
    )
  const code: TaskErrorCode = 'node_unreachable'
  const [task] = await transition(tx, {
    machine: 'llm_task',
    event: 'hand_back',
    actor: RUNTIME,
    prepared: true,
    where: sql`o.task_id = ${lease.task_id} AND o.fence = ${lease.fence}`,
    set: sql`attempts = t.attempts - 1, error_code = ${code}, last_error = ${message}, excluded_worker_id = ${lease.worker_id},
        first_worker_id = CASE WHEN t.attempts = 1 THEN NULL ELSE t.first_worker_id END,
        not_before = clock_timestamp() + make_interval(secs => (t.retry_policy->>'base_delay_sec')::double precision)`,
    details: sql`jsonb_build_object('lease_id', m.lease_id, 'worker_id', m.worker_id, 'fence', m.fence, 'attempt', m.attempts, 'cause', m.last_error)`,
    returning: ['task_id'],
  })
  // The first heartbeat came between: the node has it after all, and nothing of this is kept.
  if (!task) throw new NodeHasIt()
  await closeAttempt(tx, lease.lease_id, { outcome: 'handed_back', code, message })
  if (restSeconds === undefined && countsForBreaker(code)) await countFailure(tx, lease.worker_id)
  return true
}

class NodeHasIt extends Error {}

type Closed = {
  outcome: 'expired' | 'handed_back' | 'canceled'
  code: TaskErrorCode
  message: string
}

export async function closeAttempt(
  tx: Db,
  leaseId: string,
  { outcome, code, message }: Closed,
): Promise<void> {
  await tx.query(
    prepared(sql`UPDATE task_attempt SET outcome = ${outcome}, error_code = ${code}, error_message = ${message}, completed_at = clock_timestamp()
      WHERE lease_id = ${leaseId}`),
  )
}
