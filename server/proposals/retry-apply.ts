import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { CONFLICT_FAILURES, INFRASTRUCTURE_FAILURES } from '#domain/proposal/proposal-commands.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { findProposal } from './proposal-row.ts'
import { explain, notFound, type Outcome, transition } from './transition.ts'

/**
 * P11: FAILED → APPROVED by the old decision, without a hold. Not after a conflict (force, reject or a fresh proposal lead on from
 * there); an operator only after failures of the machinery.
 */
export async function retryApply(
  { db, hints }: Pick<Services, 'db' | 'hints'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> {
  const row = await findProposal(db, id)
  if (!row) return notFound()
  if (!can(proposalMachine, row.status, 'retry')) return explain(db, { id, event: 'retry', actor })
  const code = row.error?.code ?? 'internal'
  if (CONFLICT_FAILURES.includes(code))
    return refuse({
      code: 'TARGET_CHANGED',
      message: 'The target differs from what was reviewed; a repeat would fail in the same way.',
      details: { error: row.error },
    })
  if (actor.role !== 'owner' && !INFRASTRUCTURE_FAILURES.includes(code))
    return refuse({ code: 'FORBIDDEN', message: 'Operators retry failures of the machinery only.' })
  const outcome = await transition(db, {
    id,
    event: 'retry',
    actor,
    guard: sql`o.version = ${row.version}`,
    set: sql`apply_not_before = clock_timestamp(), error = NULL,`,
    details: { after: code },
  })
  hints.hint('apply')
  return outcome
}
