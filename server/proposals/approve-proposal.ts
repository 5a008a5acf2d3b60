import sql from 'sql-template-tag'
import type { ApproveInput } from '#contracts/proposal.contract.ts'
import { type Caller, SCHEDULER } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { currentContent, freshnessView, standingAgainst } from './current-content.ts'
import { reviewDigest } from './digests.ts'
import { findProposal } from './proposal-row.ts'
import { explain, notFound, type Outcome, transition, tryTransition } from './transition.ts'

export type DecisionServices = Pick<Services, 'db' | 'garden' | 'hints' | 'env'>

/**
 * P3: PENDING → APPROVED, bound to what the owner saw. 409 `TARGET_CHANGED` when the target changed and cannot be merged, 409
 * `STALE_REVIEW` with the new digest when the review is missing or of another situation; neither leaves a trace. The Apply Engine
 * may take it `APPLY_HOLD_SECONDS` later (D10).
 */
export async function approveProposal(
  services: DecisionServices,
  { proposal_id: id, review_digest: seen }: ApproveInput,
  actor: Caller,
): Promise<Result<Outcome>> {
  const { db } = services
  const row = await findProposal(db, id)
  if (!row) return notFound()
  if (!can(proposalMachine, row.status, 'approve')) return explain(db, { id, event: 'approve', actor })
  if (row.overdue) {
    await tryTransition(db, {
      id,
      event: 'expire',
      actor: SCHEDULER,
      guard: sql`o.expires_at <= clock_timestamp()`,
    })
    return explain(db, { id, event: 'approve', actor })
  }
  const content = await currentContent(services.garden)
  const standing = await standingAgainst(content, row.changes)
  const digest = reviewDigest(row, standing)
  const freshness = freshnessView(content.head, standing, row.changes)
  if (isInConflict(standing)) {
    const { current_revision, current_hash } = freshness
    const details = { current_revision, current_hash, freshness, review_digest: digest }
    return refuse({
      code: 'TARGET_CHANGED',
      message: 'The target has changed since this was proposed.',
      details,
    })
  }
  if (seen !== digest) {
    const details = { review_digest: digest }
    return refuse({ code: 'STALE_REVIEW', message: 'Look at the diff as it is now, then approve.', details })
  }
  const outcome = await transition(db, {
    id,
    event: 'approve',
    actor,
    guard: sql`o.version = ${row.version} AND o.expires_at > clock_timestamp()`,
    set: sql`decided_by = ${actor.identity}, decided_at = clock_timestamp(), decision_mode = 'manual', decision_note = NULL, reason_code = NULL,
      review_digest = ${digest}, apply_not_before = clock_timestamp() + make_interval(secs => ${services.env.APPLY_HOLD_SECONDS}), error = NULL,`,
    details: { review_digest: digest, freshness: standing.state },
  })
  services.hints.hint('apply')
  return outcome
}
