/** What people do to a worker: drain and resume, correct its address, take tasks from it, reset its breaker, remove it. Each with its reason. */
import sql, { type Sql } from 'sql-template-tag'
import type { WorkerView } from '#contracts/worker.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { redactText } from '#server/redaction/redact.ts'
import { resetBreaker } from './count-failure.ts'
import { releaseByForce } from './end-lease.ts'
import { findWorker } from './register-worker.ts'
import { ACTIVE } from './runtime-rows.ts'

export const NO_WORKER = refuse({ code: 'NOT_FOUND', message: 'Worker not found' })

type Command = { workerId: string; reason: string }

/** A drained worker finishes what it has and gets nothing new. Asking for what is so already changes nothing. */
export function drainWorker(
  db: Db,
  { workerId, reason, drain }: Command & { drain: boolean },
  caller: Caller,
): Promise<Result<WorkerView>> {
  return change(db, { workerId, reason, name: drain ? 'worker.draining' : 'worker.resumed' }, caller, {
    set: drain
      ? sql`drained_at = clock_timestamp(), drain_reason = ${redactText(reason)}`
      : sql`drained_at = NULL, drain_reason = NULL`,
    unless: drain ? sql`w.drained_at IS NOT NULL` : sql`w.drained_at IS NULL`,
  })
}

/** Where the worker is called from now on, whatever it registers later; null for what it registers. A key goes there: the owner says it, with his password. */
export const correctAddress = (
  db: Db,
  { workerId, reason, url }: Command & { url: string | null },
  caller: Caller,
): Promise<Result<WorkerView>> =>
  change(db, { workerId, reason, name: 'worker.address_corrected', details: { url } }, caller, {
    set: sql`corrected_url = ${url}, corrected_by = ${url === null ? null : caller.identity}`,
    unless: sql`w.corrected_url IS NOT DISTINCT FROM ${url}::text AND (w.corrected_url IS NULL OR w.corrected_by IS NOT NULL)`,
  })

/** Takes every task from the worker before its lease ends; they go to others. Returns how many. */
export async function releaseAll(db: Db, { workerId, reason }: Command, caller: Caller): Promise<number> {
  const { rows } = await db.query<{ lease_id: string }>(
    sql`SELECT l.lease_id FROM task_lease l WHERE l.worker_id = ${workerId} AND l.status = ${ACTIVE}`,
  )
  let released = 0
  for (const { lease_id } of rows) if (await releaseByForce(db, lease_id, reason, caller)) released++
  return released
}

export async function closeBreaker(
  db: Db,
  { workerId, reason }: Command,
  caller: Caller,
): Promise<Result<WorkerView>> {
  await db.transaction((tx) => resetBreaker(tx, workerId, reason, caller))
  const worker = await findWorker(db, workerId)
  return worker ? ok(worker) : NO_WORKER
}

/** A removed worker is called no more and gets nothing; what it did stays. 409 while it has leases, unless they are taken from it. */
export async function removeWorker(
  db: Db,
  { workerId, reason, force }: Command & { force: boolean },
  caller: Caller,
): Promise<Result<{ removed: true; id: string }>> {
  if (force) await releaseAll(db, { workerId, reason }, caller)
  const removed = await change(db, { workerId, reason, name: 'worker.removed' }, caller, {
    set: sql`removed_at = clock_timestamp()`,
    only: sql`w.active_leases = 0`,
    gone: true,
  })
  if (removed.ok) return ok({ removed: true, id: workerId })
  return removed
}

type Named = Command & { name: string; details?: Record<string, unknown> }
type Change = { set: Sql; unless?: Sql; only?: Sql; gone?: true }

function change(
  db: Db,
  { workerId, reason, name, details }: Named,
  caller: Caller,
  { set, unless, only, gone }: Change,
): Promise<Result<WorkerView>> {
  return db.transaction(async (tx) => {
    const before = await findWorker(tx, workerId)
    if (!before) return NO_WORKER
    const { rowCount } = await tx.query(sql`UPDATE worker_node w SET ${set}, updated_at = clock_timestamp()
      WHERE w.worker_id = ${workerId} AND w.removed_at IS NULL AND NOT (${unless ?? sql`false`}) AND (${only ?? sql`true`})`)
    if (rowCount === 0)
      return only
        ? refuse({
            code: 'INVALID_TRANSITION',
            message: 'The worker has active leases. Use force to take them.',
          })
        : ok(before)
    await recordEvent(tx, {
      ...{ name, actor: caller, reason, resource: { type: 'worker', id: workerId } },
      details: { name: before.name, ...details },
    })
    tx.notify('tasks')
    return ok(gone ? before : ((await findWorker(tx, workerId)) as WorkerView))
  })
}
