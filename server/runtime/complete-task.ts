/**
 * The report of a worker: T4 with its artifact, or T5 with what follows from the matrix [runtime#completion].
 *
 *   same report again                     the stored answer
 *   another one after it, nobody at work  409 INVALID_TRANSITION
 *   a lease that is not active            409 FENCE_STALE, recorded
 *   first                                 object → one transaction: lease, task, artifact row, result, breaker
 *
 * An object without a row harms nobody. When the store does not take it nothing has changed and the answer is 503: the node tries again.
 */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import sql from 'sql-template-tag'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import { type CompletionReport, OUTPUT_BYTES, type TaskResult } from '#contracts/task-report.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { judgeCompletion, outcomeOf } from '#domain/task/completion.rules.ts'
import {
  afterFailure,
  countsForBreaker,
  excludesWorker,
  type TaskErrorCode,
} from '#domain/task/failure.rules.ts'
import { storeArtifact } from '#server/artifacts/write-artifact.ts'
import type { Db } from '#server/ledger/database.ts'
import { json, NODE } from '#server/ledger/event-fields.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { changeWithEvent } from '#server/ledger/record-event.ts'
import { transition } from '#server/ledger/transition.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { redactText } from '#server/redaction/redact.ts'
import { countAnswer, countFailure } from './count-failure.ts'
import { hearWorker } from './hear-worker.ts'
import { NO_TASK } from './lease-task.ts'
import { type LlmResult, llmResult } from './llm-result.ts'
import { type TaskRow, taskView } from './runtime-rows.ts'
import { type KnownLease, refuseStale, type Shown, type Standing, standingOf } from './show-lease.ts'

export type Completed = { task: TaskView; artifact: unknown; result: TaskResult }
type Parts = { db: Db; store: ObjectStore; env: { RUNTIME_REQUIRE_LEASE: boolean } }
type Completion = { taskId: string; shown: Shown; report: CompletionReport }

/** Characters of an output that stay with an attempt that failed. */
const KEPT_PARTIAL = 65_536
const KEPT_MESSAGE = 2_000

export async function completeTask(
  parts: Parts,
  { taskId, shown, report }: Completion,
  caller: Caller,
): Promise<Result<Completed>> {
  const { db, env } = parts
  if (tooLarge(report.output) || tooLarge(report.partial_output)) return TOO_LARGE
  const standing = await standingOf(db, taskId, shown, { leaseRequired: env.RUNTIME_REQUIRE_LEASE, caller })
  if (!standing) return NO_TASK
  const digest = digestOf(report)
  const accepted = acceptedOf(standing)
  const judged = judgeCompletion(
    {
      state: standing.task.status,
      shownLeaseId: standing.claim.kind === 'lease' ? standing.claim.leaseId : null,
      digest,
      accepted,
    },
    standing.claim,
    standing.context,
  )
  if (judged.kind === 'repeat') return stored(db, taskId, accepted?.leaseId ?? '')
  if (judged.kind === 'refuse' && judged.code === 'FENCE_STALE')
    return refuseStale(db, standing, 'complete', caller)
  if (judged.kind === 'refuse')
    return refuse({
      code: judged.code,
      message: `The task is ${standing.task.status}; this report comes too late.`,
    })
  const lease = standing.active as KnownLease
  const ended = await endAttempt(parts, { task: standing.task, lease, report, digest }, caller)
  return ended ? stored(db, taskId, lease.lease_id) : refuseStale(db, standing, 'complete', caller)
}

const tooLarge = (text: string | null | undefined): boolean => Buffer.byteLength(text ?? '') > OUTPUT_BYTES
const TOO_LARGE = refuse({
  code: 'PAYLOAD_TOO_LARGE',
  message: 'The output is larger than 1 MiB. Report output_too_large instead.',
  details: { limit_bytes: OUTPUT_BYTES },
})

/** Of what is reported, not of how the lease was shown: a node may repeat it in another way. */
function digestOf({ id: _, lease_id: _lease, fence: _fence, ...report }: CompletionReport): string {
  return createHash('sha256')
    .update(canonicalize(report) ?? '')
    .digest('hex')
}

/** The report that counted under the lease that is shown, or under the newest one for who shows none. */
function acceptedOf({ leases, shown, claim }: Standing): { leaseId: string; digest: string } | null {
  const lease = claim.kind === 'lease' ? shown : leases[0]
  return lease?.completion_digest ? { leaseId: lease.lease_id, digest: lease.completion_digest } : null
}

type Ending = { task: TaskRow; lease: KnownLease; report: CompletionReport; digest: string }

async function endAttempt(parts: Parts, ending: Ending, caller: Caller): Promise<boolean> {
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
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await endLease(tx, lease, 'release', caller))) return false
    await hearWorker(tx, lease.worker_id)
    await changeWithEvent(tx, prepared(insertResult(task, result)), () => true)
    const [done] = await transition(tx, {
      machine: 'llm_task',
      event: 'succeed',
      actor: caller,
      prepared: true,
      where: sql`o.task_id = ${task.task_id} AND o.fence = ${lease.fence}`,
      set: sql`artifact_id = ${result.artifactId}, error_code = NULL, last_error = NULL, excluded_worker_id = NULL, ended_at = clock_timestamp()`,
      details: AT_LEASE,
      returning: ['task_id'],
    })
    if (!done) throw new Error('a task with an active lease was neither leased nor running')
    const metrics = { ...report.metrics, tokens_used: tokensUsed }
    await keepResult(tx, {
      ...{ lease, digest, metrics, output, outcome: 'completed', code: null, message: null, partial: null },
      artifactId: result.artifactId,
    })
    await countAnswer(tx, lease.worker_id)
    return true
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
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await endLease(tx, lease, 'fail', caller))) return false
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
    const [failed] = await transition(tx, {
      ...moved,
      event: 'fail',
      where: of,
      set: sql`error_code = ${code}, last_error = ${text}, retry_at = ${retryAt}, excluded_worker_id = ${excluded}, ended_at = ${retryAt ? null : sql`clock_timestamp()`}`,
      errorCode: code,
      returning: ['task_id'],
    })
    if (!failed) throw new Error('a task with an active lease was neither leased nor running')
    if (next.kind === 'dead')
      await transition(tx, { ...moved, event: 'bury', where: of, errorCode: code, returning: ['task_id'] })
    const partial = report.partial_output ?? (report.status === 'success' ? report.output : null)
    const metrics = { ...report.metrics, tokens_used: tokensUsed }
    await keepResult(tx, {
      ...{ lease, digest, metrics, output: null, outcome: 'failed', code, message: text, artifactId: null },
      partial: partial ? redactText(partial).slice(0, KEPT_PARTIAL) : null,
    })
    if (countsForBreaker(code)) await countFailure(tx, lease.worker_id)
    return true
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

function insertResult(task: TaskRow, { artifactId, document, bytes, sha256, objectKey, title }: LlmResult) {
  return sql`WITH made AS (
      INSERT INTO artifact (artifact_id, task_id, run_id, agent_slug, type, title, object_key, content_sha256, bytes, engine, grounding, tags)
      VALUES (${artifactId}, ${task.task_id}, ${task.run_id}, ${task.agent_slug}, ${document.type}, ${title}, ${objectKey}, ${sha256}, ${bytes.byteLength},
        ${json(document.engine)}, ${json(document.grounding)}, ${document.tags})
      RETURNING *)
    INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, node, refs, details)
    SELECT 'artifact.created', 'runtime', 'service', 'system', 'artifact', m.artifact_id, ${NODE}::text,
      jsonb_strip_nulls(jsonb_build_object('artifact_id', m.artifact_id, 'task_id', m.task_id, 'run_id', m.run_id, 'agent', m.agent_slug)),
      jsonb_build_object('type', m.type, 'content_sha256', m.content_sha256, 'bytes', m.bytes)
    FROM made m`
}

type Kept = {
  lease: KnownLease
  digest: string
  outcome: 'completed' | 'failed'
  code: TaskErrorCode | null
  message: string | null
  output: string | null
  partial: string | null
  artifactId: string | null
  metrics: unknown
}

/** The result as it is answered now and to every repeat; the output itself is in the artifact. */
async function keepResult(tx: Db, kept: Kept): Promise<void> {
  const { lease, outcome } = kept
  await tx.query(
    prepared(sql`UPDATE task_attempt SET outcome = ${outcome}, error_code = ${kept.code}, error_message = ${kept.message}, partial_output = ${kept.partial},
      metrics = ${json(kept.metrics)}, completion_digest = ${kept.digest}, completed_at = clock_timestamp(), result = jsonb_build_object(
        'id', lease_id, 'task_id', task_id, 'worker_id', ${lease.worker_id}::text, 'artifact_id', ${kept.artifactId}::text,
        'status', ${outcome === 'completed' ? 'success' : 'error'}::text, 'output', ${kept.output}::text, 'error_message', ${kept.message}::text,
        'metrics', ${json(kept.metrics)}, 'completed_at', floor(extract(epoch FROM clock_timestamp()) * 1000))
      WHERE lease_id = ${lease.lease_id}`),
  )
}

async function stored(db: Db, taskId: string, leaseId: string): Promise<Result<Completed>> {
  const { rows } = await db.query<TaskRow & { result: TaskResult; artifact: unknown }>(
    prepared(sql`SELECT t.*, a.result, CASE WHEN f.artifact_id IS NULL THEN NULL ELSE jsonb_build_object('id', f.artifact_id, 'task_id', f.task_id,
        'type', f.type, 'content_sha256', f.content_sha256, 'bytes', f.bytes, 'tags', f.tags) END AS artifact
      FROM llm_task t JOIN task_attempt a ON a.task_id = t.task_id LEFT JOIN artifact f ON f.artifact_id = a.result->>'artifact_id'
      WHERE t.task_id = ${taskId} AND a.lease_id = ${leaseId}`),
  )
  const row = rows[0]
  if (!row) return NO_TASK
  return ok({ task: taskView(row), artifact: row.artifact, result: row.result })
}
