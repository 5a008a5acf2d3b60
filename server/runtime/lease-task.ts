/**
 * T2: a task goes to one worker under a lease.
 *
 * Who it is follows from the rules of selection; what was found then is checked again, by one statement that holds the row of the worker: it is not
 * drained, nothing stands against it, it has room. So of twenty that ask at once one gets the task, and a worker never has more than it takes. Locks are
 * taken in one order everywhere: the worker (or the lease, whose end changes the worker), then the task, then the breaker.
 */
import { randomUUID } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import type { LeaseView } from '#contracts/llm-task.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ttlOf } from '#domain/task/lease-time.rules.ts'
import { fromNow } from '#server/ledger/clock.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { transition } from '#server/ledger/transition.ts'
import { type Among, type Chosen, chooseAmong, type Look, lookAtWorkers } from './choose-worker.ts'
import { keepWhy, whyOf } from './keep-waits.ts'
import { newLeaseToken } from './lease-token.ts'
import { leaseView, ONLINE } from './runtime-rows.ts'
import { faultOf, NO_TASK, type Seen, seenTask, wantedBy } from './seen-task.ts'

export type LeaseAsked = {
  taskId: string
  /** The only worker that may have it. */
  workerId?: string | null | undefined
  ttlSeconds?: number | null | undefined
  among?: Among
  /** Workers that were looked at already; where the one chosen of them cannot take it after all, they are looked at anew. */
  look?: Look
}
export type Granted = { lease: LeaseView; token: string; workerId: string }

/** How often another worker is looked for when the chosen one was taken meanwhile. */
const CHOICES = 4

/** 404 without the task, 409 when it is not queued or may not begin yet, 503 `NO_WORKER` when nobody can take it; why stands on the task then. */
export async function leaseTask(db: Db, asked: LeaseAsked, caller: Caller): Promise<Result<Granted>> {
  for (let choice = 0; choice < CHOICES; choice++) {
    const task = await seenTask(db, asked.taskId)
    if (!task) return NO_TASK
    const fault = faultOf(task)
    if (fault) return fault
    const wanted = wantedBy(task, asked.workerId)
    const look = (choice === 0 && asked.look) || (await lookAtWorkers(db, wanted.contextId))
    const chosen = chooseAmong(look, wanted, asked.among ?? 'any')
    if (chosen.workerId === null) return noWorker(db, { task, look, chosen, asked })
    const granted = await grant(db, { task, workerId: chosen.workerId, chosen, asked }, caller)
    if (granted) return ok(granted)
  }
  return BUSY
}

const BUSY = refuse({ code: 'NO_WORKER', message: 'No available worker with free capacity', retryAfter: 1 })

type Untaken = { task: Seen; look: Look; chosen: Chosen; asked: LeaseAsked }

/** Why nobody takes it stands on the task, unless one worker alone was asked for. */
async function noWorker(db: Db, { task, look, chosen, asked }: Untaken): Promise<Result<never>> {
  const why = whyOf(task, look)
  if (!asked.workerId) await keepWhy(db, [why])
  const { filtered } = asked.workerId ? chosen.selection : why.selection
  return refuse({
    code: 'NO_WORKER',
    message: 'No available worker with free capacity',
    details: { filtered },
    retryAfter: 5,
  })
}

type Grant = { task: Seen; workerId: string; chosen: Chosen; asked: LeaseAsked }

function grant(db: Db, { task, workerId, chosen, asked }: Grant, caller: Caller): Promise<Granted | null> {
  const { token, hash } = newLeaseToken()
  const lease_id = randomUUID()
  return db.transaction(async (tx) => {
    await tx.query(
      prepared(sql`SELECT 1 FROM worker_node w WHERE w.worker_id = ${workerId} FOR NO KEY UPDATE`),
    )
    const [leased] = await transition(tx, {
      machine: 'llm_task',
      event: 'lease',
      actor: caller,
      prepared: true,
      where: sql`o.task_id = ${task.task_id} AND o.fence = ${task.fence} AND o.not_before <= clock_timestamp() AND ${takes(workerId)}`,
      set: sql`attempts = t.attempts + 1, fence = t.fence + 1, lease_id = ${lease_id}, worker_id = ${workerId},
        first_worker_id = coalesce(t.first_worker_id, ${workerId}), wait_reason = NULL, selection = ${json(chosen.selection)}`,
      details: sql`jsonb_build_object('lease_id', m.lease_id, 'worker_id', m.worker_id, 'fence', m.fence, 'attempt', m.attempts)`,
      returning: ['fence', 'attempts'],
    })
    if (!leased) return null
    const ttl = asked.ttlSeconds ?? ttlOf(task.timeout_sec)
    const made = await create(tx, {
      machine: 'task_lease',
      actor: caller,
      prepared: true,
      values: {
        lease_id,
        task_id: task.task_id,
        worker_id: workerId,
        context_id: task.context_id,
        fence: leased.fence,
        token_hash: hash,
        ttl_seconds: ttl,
        timeout_sec: task.timeout_sec,
        selection: json(chosen.selection),
        expires_at: fromNow(Math.min(ttl, ttlOf(task.timeout_sec))),
      },
    })
    if (!made) throw new Error('a task that was queued has an active lease')
    await tx.query(
      prepared(
        sql`INSERT INTO task_attempt (lease_id, task_id, number) VALUES (${lease_id}, ${task.task_id}, ${leased.attempts})`,
      ),
    )
    return { lease: leaseView(made), token, workerId }
  })
}

/** What was chosen by, once more, while the row of the worker is held: it can take one now. */
const takes = (workerId: string): Sql =>
  sql`EXISTS (SELECT FROM worker_node w LEFT JOIN worker_breaker b ON b.worker_id = w.worker_id
    WHERE w.worker_id = ${workerId} AND w.removed_at IS NULL AND ${ONLINE} AND w.can_run AND w.drained_at IS NULL AND w.active_leases < w.max_concurrency
      AND coalesce(w.rate_limited_until <= clock_timestamp(), true) AND o.required_labels <@ w.labels
      AND (coalesce(b.state, 'closed') = 'closed' OR (coalesce(b.open_until <= clock_timestamp(), true) AND w.active_leases = 0)))`
