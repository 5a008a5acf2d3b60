/** The end of an attempt by its report: T4 with the artifact, or T5 with what follows from the matrix. One transaction: lease, task, artifact row, result, breaker. */
import sql from 'sql-template-tag'
import type { CompletionReport } from '#contracts/task-report.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { outcomeOf } from '#domain/task/completion.rules.ts'
import {
  afterFailure,
  countsForBreaker,
  excludesWorker,
  type TaskErrorCode,
} from '#domain/task/failure.rules.ts'
import { storeArtifact } from '#server/artifacts/write-artifact.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { changeWithEvent } from '#server/ledger/record-event.ts'
import { transition } from '#server/ledger/transition.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { redactText } from '#server/redaction/redact.ts'
import { artifactView, type Completed, insertResult, keepResult } from './attempt-result.ts'
import { countAnswer, countFailure } from './count-failure.ts'
import { hearWorker } from './hear-worker.ts'
import { type LlmResult, llmResult } from './llm-result.ts'
import { type TaskRow, taskView } from './runtime-rows.ts'
import type { KnownLease, KnownTask } from './show-lease.ts'

/** Characters of an output that stay with an attempt that failed. */
const KEPT_PARTIAL = 65_536
const KEPT_MESSAGE = 2_000

export type Ending = { task: KnownTask; lease: KnownLease; report: CompletionReport; digest: string }

/** Null when the lease is not active any more: then nothing has changed. */
export async function endAttempt(
  parts: { db: Db; store: ObjectStore },
  ending: Ending,
  caller: Caller,
): Promise<Completed | null> {
  const { task, lease, report } = ending
  const outcome = outcomeOf(
    {
      status: report.status,
      output: report.output ?? null,
      error_message: report.error_message ?? null,
      error_code: report.error_code ?? null,
      tokens_used: report.metrics?.tokens_used ?? null,
    },
    task.desired_format,
  )
  if (outcome.kind === 'failed')
    return fail(parts.db, ending, { ...outcome, retryAfter: report.retry_after ?? undefined }, caller)
  const output = redactText(outcome.output)
  const result = llmResult({
    ...{ task, report, output, tokensUsed: outcome.tokensUsed },
    ...{ leaseId: lease.lease_id, workerId: lease.worker_id },
  })
  if (!result) {
    const message = 'The answer does not fit into an artifact of 1 MiB.'
    return fail(
      parts.db,
      ending,
      { code: 'output_too_large', message, tokensUsed: outcome.tokensUsed },
      caller,
    )
  }
  await storeArtifact(parts, { object_key: result.objectKey, bytes: result.bytes, sha256: result.sha256 })
  return succeed(parts.db, ending, { result, output, tokensUsed: outcome.tokensUsed }, caller)
}

type Succeeded = { result: LlmResult; output: string; tokensUsed: number | null }

function succeed(
  db: Db,
  { task, lease, report, digest }: Ending,
  { result, output, tokensUsed }: Succeeded,
  caller: Caller,
): Promise<Completed | null> {
  return db.transaction(async (tx) => {
    if (!(await endLease(tx, lease, 'release', caller))) return null
    await hearWorker(tx, lease.worker_id)
    await changeWithEvent(tx, prepared(insertResult(task, result)), () => true)
    const [done] = await transition<TaskRow>(tx, {
      machine: 'llm_task',
      event: 'succeed',
      actor: caller,
      prepared: true,
      where: sql`o.task_id = ${task.task_id} AND o.fence = ${lease.fence}`,
      set: sql`artifact_id = ${result.artifactId}, error_code = NULL, last_error = NULL, excluded_worker_id = NULL, ended_at = clock_timestamp()`,
      details: AT_LEASE,
    })
    if (!done) throw new Error('a task with an active lease was neither leased nor running')
    const metrics = { ...report.metrics, tokens_used: tokensUsed }
    const kept = await keepResult(tx, {
      ...{ lease, digest, metrics, output, outcome: 'completed', code: null, message: null, partial: null },
      artifactId: result.artifactId,
    })
    await countAnswer(tx, lease.worker_id)
    const { artifactId, document, sha256, bytes } = result
    const artifact = artifactView({
      ...{ artifact_id: artifactId, task_id: task.task_id, type: document.type, content_sha256: sha256 },
      ...{ bytes: bytes.byteLength, tags: document.tags },
    })
    return { task: taskView(done), artifact, result: kept }
  })
}

const AT_LEASE = sql`jsonb_strip_nulls(jsonb_build_object('lease_id', m.lease_id, 'worker_id', m.worker_id, 'fence', m.fence, 'attempt', m.attempts, 'error_code', m.error_code))`

type Failed = {
  code: TaskErrorCode
  message: string
  tokensUsed: number | null
  retryAfter?: number | undefined
}

/** T5, and T7 with it when no attempt is left. */
function fail(
  db: Db,
  { task, lease, report, digest }: Ending,
  { code, message, tokensUsed, retryAfter }: Failed,
  caller: Caller,
): Promise<Completed | null> {
  return db.transaction(async (tx) => {
    if (!(await endLease(tx, lease, 'fail', caller))) return null
    await hearWorker(tx, lease.worker_id)
    if (code === 'rate_limited')
      await rest(tx, lease.worker_id, retryAfter ?? task.retry_policy.base_delay_sec)
    const text = redactText(message).slice(0, KEPT_MESSAGE)
    const { rows } = await tx.query<{ now: Date; was_here: boolean }>(
      prepared(sql`SELECT clock_timestamp() AS now, EXISTS (SELECT FROM task_lease l JOIN task_attempt a ON a.lease_id = l.lease_id
        WHERE l.task_id = ${task.task_id} AND l.fence = ${lease.fence - 1} AND l.worker_id = ${lease.worker_id} AND a.outcome = 'failed') AS was_here`),
    )
    const { now, was_here } = rows[0] as { now: Date; was_here: boolean }
    const next = afterFailure(
      code,
      { attempts: task.attempts, maxAttempts: task.max_attempts, policy: task.retry_policy },
      { now: now.getTime(), random: Math.random(), retryAfterSeconds: retryAfter },
    )
    const retryAt = next.kind === 'retry' ? new Date(next.retryAt) : null
    // A requeue begins anew: what failed before it does not count.
    const excluded = excludesWorker(code, was_here && task.attempts > 1) ? lease.worker_id : null
    const of = sql`o.task_id = ${task.task_id} AND o.fence = ${lease.fence}`
    const moved = { machine: 'llm_task', actor: caller, prepared: true, details: AT_LEASE } as const
    const [failed] = await transition<TaskRow>(tx, {
      ...moved,
      event: 'fail',
      where: of,
      set: sql`error_code = ${code}, last_error = ${text}, retry_at = ${retryAt}, excluded_worker_id = ${excluded}, ended_at = ${retryAt ? null : sql`clock_timestamp()`}`,
      errorCode: code,
    })
    if (!failed) throw new Error('a task with an active lease was neither leased nor running')
    const [dead] =
      next.kind === 'dead'
        ? await transition<TaskRow>(tx, { ...moved, event: 'bury', where: of, errorCode: code })
        : []
    const partial = report.partial_output ?? (report.status === 'success' ? report.output : null)
    const metrics = { ...report.metrics, tokens_used: tokensUsed }
    const result = await keepResult(tx, {
      ...{ lease, digest, metrics, output: null, outcome: 'failed', code, message: text, artifactId: null },
      partial: partial ? redactText(partial).slice(0, KEPT_PARTIAL) : null,
    })
    if (countsForBreaker(code)) await countFailure(tx, lease.worker_id)
    return { task: taskView(dead ?? failed), artifact: null, result }
  })
}

async function endLease(
  tx: Db,
  lease: KnownLease,
  event: 'release' | 'fail',
  caller: Caller,
): Promise<boolean> {
  const rows = await transition(tx, {
    machine: 'task_lease',
    event,
    actor: caller,
    prepared: true,
    where: sql`o.lease_id = ${lease.lease_id}`,
    set: sql`ended_at = clock_timestamp()`,
    returning: ['lease_id'],
  })
  return rows.length > 0
}

/** This worker and only it is left alone until then. */
async function rest(tx: Db, workerId: string, seconds: number): Promise<void> {
  await tx.query(sql`UPDATE worker_node SET rate_limited_until = greatest(rate_limited_until, clock_timestamp() + make_interval(secs => ${seconds}))
    WHERE worker_id = ${workerId}`)
}
