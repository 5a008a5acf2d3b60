/** A failed application gets another attempt: by the old decision (retry), or over the content that stands in its way (force). */
import sql from 'sql-template-tag'
import type { ForceInput } from '#contracts/proposal-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isConflictFailure, isInfrastructureFailure } from '#domain/proposal/proposal-commands.rules.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { currentContent, freshnessView, standingAgainst } from './current-content.ts'
import { overrideRefusal, PASSWORD_TO_OVERWRITE } from './override-refusal.ts'
import { findProposal } from './proposal-row.ts'
import { explain, notFound, type Outcome, transitionProposal } from './transition-proposal.ts'

/**
 * [proposals#P11] FAILED → APPROVED by the old decision, without a hold. Not after a conflict (force, reject or resubmit instead); an
 * operator only after infrastructure failures.
 */
export async function retryApply(
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> {
  const row = await findProposal(db, id)
  if (!row) return notFound()
  if (!can(proposalMachine, row.status, 'retry')) return explain(db, { id, event: 'retry', actor })
  const code = row.error?.code ?? 'internal'
  if (isConflictFailure(code))
    return refuse({
      code: 'TARGET_CHANGED',
      message: 'The target differs from what was reviewed, so a retry would fail again. Force or reject it.',
      details: { error: row.error },
    })
  if (actor.role !== 'owner' && !isInfrastructureFailure(code))
    return refuse({ code: 'FORBIDDEN', message: 'Operators may retry infrastructure failures only.' })
  return transitionProposal(db, {
    id,
    event: 'retry',
    actor,
    guard: sql`o.version = ${row.version}`,
    set: sql`apply_not_before = clock_timestamp(), error = NULL,`,
    details: { after: code },
  })
}

/**
 * [proposals#P12] A FAILED conflict → APPROVED, to overwrite exactly the content whose hash the owner names; a further change fails
 * again. It is held like an approval, and undo makes it PENDING, where an approval may force it again ([proposals#force]). Needs a password
 * entered in the last five minutes, which the edge has checked: 403 `STEP_UP_REQUIRED`.
 */
export async function forceApply(
  { db, garden, env }: Pick<Services, 'db' | 'garden' | 'env'>,
  input: ForceInput,
  actor: Caller,
  { steppedUp }: { steppedUp: boolean },
): Promise<Result<Outcome>> {
  const id = input.proposal_id
  if (!steppedUp) return refuse(PASSWORD_TO_OVERWRITE)
  const row = await findProposal(db, id)
  if (!row) return notFound()
  if (!can(proposalMachine, row.status, 'force')) return explain(db, { id, event: 'force', actor })
  if (!isConflictFailure(row.error?.code))
    return refuse({ code: 'VALIDATION_FAILED', message: 'This failure is no conflict. Retry it instead.' })
  const content = await currentContent(garden)
  const freshness = freshnessView(content.head, await standingAgainst(content, row.changes), row.changes)
  const outdated = overrideRefusal(input, freshness)
  if (outdated) return refuse(outdated)
  return transitionProposal(db, {
    id,
    event: 'force',
    actor,
    guard: sql`o.version = ${row.version}`,
    set: sql`force_over_hash = ${input.over_hash}, decided_by = ${actor.identity}, decided_at = clock_timestamp(), decision_mode = 'manual',
      decision_note = ${redactText(input.reason)}, reason_code = NULL, apply_not_before = clock_timestamp() + make_interval(secs => ${env.APPLY_HOLD_SECONDS}), error = NULL,`,
    reason: input.reason,
    details: { over_hash: input.over_hash },
  })
}
