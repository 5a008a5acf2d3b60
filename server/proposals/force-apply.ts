import sql from 'sql-template-tag'
import type { ForceInput } from '#contracts/proposal.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { CONFLICT_FAILURES } from '#domain/proposal/proposal-commands.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { currentContent, freshnessView, standingAgainst } from './current-content.ts'
import { findProposal } from './proposal-row.ts'
import { explain, notFound, type Outcome, transition } from './transition.ts'

/**
 * P12: a FAILED conflict → APPROVED, to overwrite exactly the content whose hash the owner names; a further change fails again.
 * Needs a password of the last five minutes (page 09, section 3.2), which the edge has found out: 403 `STEP_UP_REQUIRED`.
 */
export async function forceApply(
  { db, garden, hints }: Pick<Services, 'db' | 'garden' | 'hints'>,
  input: ForceInput,
  actor: Caller,
  { steppedUp }: { steppedUp: boolean },
): Promise<Result<Outcome>> {
  const id = input.proposal_id
  if (!steppedUp)
    return refuse({ code: 'STEP_UP_REQUIRED', message: 'Enter the password again to overwrite.' })
  const row = await findProposal(db, id)
  if (!row) return notFound()
  if (!can(proposalMachine, row.status, 'force')) return explain(db, { id, event: 'force', actor })
  if (!CONFLICT_FAILURES.includes(row.error?.code ?? ''))
    return refuse({ code: 'VALIDATION_FAILED', message: 'Only a conflict is forced; retry this one.' })
  const content = await currentContent(garden)
  const freshness = freshnessView(content.head, await standingAgainst(content, row.changes), row.changes)
  if (freshness.current_hash !== input.over_hash) {
    const { current_revision, current_hash } = freshness
    const details = { current_revision, current_hash, freshness }
    return refuse({ code: 'TARGET_CHANGED', message: 'The target changed again; look at it first.', details })
  }
  const outcome = await transition(db, {
    id,
    event: 'force',
    actor,
    guard: sql`o.version = ${row.version}`,
    set: sql`force_over_hash = ${input.over_hash}, decided_by = ${actor.identity}, decided_at = clock_timestamp(),
      decision_note = ${input.reason}, apply_not_before = clock_timestamp(), error = NULL,`,
    reason: input.reason,
    details: { over_hash: input.over_hash },
  })
  hints.hint('apply')
  return outcome
}
