import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { type Outcome, transition } from './transition.ts'

/**
 * P6: APPROVED → PENDING until the Apply Engine has taken it (D10). The decision stays in the history; there is at least an hour
 * left to decide anew.
 */
export const undoApproval = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> =>
  transition(db, {
    id,
    event: 'undo',
    actor,
    set: sql`decided_by = NULL, decided_at = NULL, decision_mode = NULL, decision_note = NULL, reason_code = NULL, review_digest = NULL,
      apply_not_before = NULL, force_over_hash = NULL, error = NULL, expires_at = greatest(t.expires_at, clock_timestamp() + interval '1 hour'),`,
  })
