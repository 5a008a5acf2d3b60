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
import { type CompletionReport, OUTPUT_BYTES } from '#contracts/task-report.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { judgeCompletion } from '#domain/task/completion.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { type Completed, storedAnswer } from './attempt-result.ts'
import { endAttempt } from './end-attempt.ts'
import { NO_TASK } from './seen-task.ts'
import { type KnownLease, refuseStale, type Shown, type Standing, standingOf } from './show-lease.ts'

type Parts = { db: Db; store: ObjectStore; env: { RUNTIME_REQUIRE_LEASE: boolean } }
type Completion = { taskId: string; shown: Shown; report: CompletionReport }

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
  if (judged.kind === 'repeat') return storedAnswer(db, taskId, accepted?.leaseId ?? '')
  if (judged.kind === 'refuse' && judged.code === 'FENCE_STALE')
    return refuseStale(db, standing, 'complete', caller)
  if (judged.kind === 'refuse')
    return refuse({
      code: judged.code,
      message: `The task is ${standing.task.status}; this report comes too late.`,
    })
  const lease = standing.active as KnownLease
  const ended = await endAttempt(parts, { task: standing.task, lease, report, digest }, caller)
  return ended ? ok(ended) : refuseStale(db, standing, 'complete', caller)
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
