import sql from 'sql-template-tag'
import type { RejectInput } from '#contracts/proposal.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { type Outcome, transition } from './transition.ts'

export const LEAST_NOTE = 10

/** P4, P13: PENDING or FAILED → REJECTED. The note (at least ten characters) and its code are what the agent learns from. */
export async function rejectProposal(
  { db }: Pick<Services, 'db'>,
  { proposal_id: id, decision_note, reason_code }: RejectInput,
  actor: Caller,
): Promise<Result<Outcome>> {
  const note = decision_note.trim()
  if (note.length < LEAST_NOTE) {
    const details = [{ field: 'decision_note', message: `must have at least ${LEAST_NOTE} characters` }]
    return refuse({ code: 'VALIDATION_FAILED', message: 'Say why, in at least ten characters.', details })
  }
  return transition(db, {
    id,
    event: 'reject',
    actor,
    set: sql`decided_by = ${actor.identity}, decided_at = clock_timestamp(), decision_mode = 'manual', decision_note = ${note},
      reason_code = ${reason_code ?? null}, review_digest = NULL, apply_not_before = NULL, force_over_hash = NULL,`,
    reason: note,
    details: { reason_code: reason_code ?? null },
  })
}
