import sql from 'sql-template-tag'
import type { LeaseView } from '#contracts/llm-task.contract.ts'
import type { Progress } from '#contracts/task-report.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { claimHolds } from '#domain/task/lease-claim.rules.ts'
import { LEASE_GRACE_SECONDS } from '#domain/task/lease-time.rules.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { transition } from '#server/ledger/transition.ts'
import { redact, redactText } from '#server/redaction/redact.ts'
import { hearWorker } from './hear-worker.ts'
import { type LeaseRow, leaseView } from './runtime-rows.ts'
import { NO_TASK } from './seen-task.ts'
import { refuseStale, type Shown, standingOf } from './show-lease.ts'

type Beat = { taskId: string; shown: Shown; progress?: Progress | null | undefined }

/** Of the tail of an attempt so many characters are kept: 64 KiB at most, whatever they are. */
const KEPT_TAIL = 16_384

/**
 * A heartbeat: puts off the end of the lease (L3), starts the task with the first one (T3), keeps what the node tells of its work. 404 for a task that
 * never had a lease, 409 `FENCE_STALE` for a lease that is not active any more or has run out.
 */
export async function beatTask(
  { db, env }: { db: Db; env: { RUNTIME_REQUIRE_LEASE: boolean } },
  { taskId, shown, progress }: Beat,
  caller: Caller,
): Promise<Result<{ lease: LeaseView; expires_at: number }>> {
  const standing = await standingOf(db, taskId, shown, { leaseRequired: env.RUNTIME_REQUIRE_LEASE, caller })
  if (!standing) return NO_TASK
  if (standing.leases.length === 0)
    return refuse({ code: 'NOT_FOUND', message: 'No active lease for this task' })
  const { active, task } = standing
  if (!active || !claimHolds(standing.claim, standing.context))
    return refuseStale(db, standing, 'heartbeat', caller)
  const renewed = await db.transaction(async (tx) => {
    const [lease] = await transition<LeaseRow>(tx, {
      machine: 'task_lease',
      event: 'renew',
      actor: caller,
      prepared: true,
      where: sql`o.lease_id = ${active.lease_id} AND o.expires_at > clock_timestamp()`,
      set: sql`last_heartbeat_at = clock_timestamp(),
        expires_at = least(clock_timestamp() + make_interval(secs => t.ttl_seconds), t.started_at + make_interval(secs => t.timeout_sec + ${LEASE_GRACE_SECONDS}))`,
    })
    if (!lease) return null
    await hearWorker(tx, active.worker_id)
    if (task.status === taskMachine.events.lease.to)
      await transition(tx, {
        machine: 'llm_task',
        event: 'start',
        actor: caller,
        prepared: true,
        where: sql`o.task_id = ${taskId} AND o.fence = ${active.fence}`,
        details: sql`jsonb_build_object('lease_id', m.lease_id, 'worker_id', m.worker_id, 'fence', m.fence)`,
        returning: ['task_id'],
      })
    if (progress) await keepProgress(tx, active.lease_id, progress)
    return lease
  })
  if (!renewed) return refuseStale(db, standing, 'heartbeat', caller)
  const lease = leaseView(renewed)
  return ok({ lease, expires_at: lease.expires_at })
}

/** What the runtime resolved itself; a node says nothing of that. */
const OF_RUNTIME = sql`(SELECT coalesce(jsonb_agg(e), '[]') FROM jsonb_array_elements(context_report) e WHERE e->>'hint' LIKE '@%')`
const ofNode = (report: NonNullable<Progress['context_report']>) =>
  report.filter(({ hint }) => !hint.startsWith('@'))

async function keepProgress(
  tx: Db,
  leaseId: string,
  { phase, tail, context_report }: Progress,
): Promise<void> {
  await tx.query(
    prepared(sql`UPDATE task_attempt SET progress = jsonb_build_object('phase', ${phase ?? null}::text),
      tail = right(coalesce(tail, '') || ${redactText(tail ?? '')}::text, ${KEPT_TAIL}),
      context_report = coalesce(${OF_RUNTIME} || ${context_report ? json(redact(ofNode(context_report))) : null}::jsonb, context_report)
    WHERE lease_id = ${leaseId}`),
  )
}
