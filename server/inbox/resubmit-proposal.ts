import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { stateAllows } from '#domain/proposal/proposal-commands.rules.ts'
import type { TagChange } from '#server/garden/tagged-text.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'
import { diffOf, findProposal, type StoredChange } from '#server/proposals/proposal-row.ts'
import { invalidTransition, notFound } from '#server/proposals/transition-proposal.ts'
import { type Successor, type SuccessorServices, submitSuccessor } from './submit-successor.ts'

/**
 * [proposals#P15] Proposes the same change again on the content as it is now. The old proposal stays as it is and shows the new id.
 * 422 `DIFF_INVALID` when it no longer applies; a repeat returns the successor that is still open.
 */
export async function resubmitProposal(
  services: SuccessorServices,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Successor>> {
  const old = await findProposal(services.db, id)
  if (!old) return notFound()
  if (!stateAllows('resubmit', old.status)) return invalidTransition(services.db, old, 'resubmit', actor)
  return submitSuccessor(
    services,
    {
      old,
      drafts: (newId) => old.changes.map((change) => sameChange(change, id, newId)),
      summary: old.summary,
      reasoning: old.reasoning,
      forward: 'resubmitted_as',
      back: 'resubmitted_from',
      command: 'resubmit',
    },
    actor,
  )
}

/** The change as it was proposed, for the proposal that comes after. */
export const sameChange = (change: StoredChange, id: string, newId: string): DraftChange => ({
  path: change.path.replace(id, newId),
  diff: diffOf(change),
  isKnownPath: true,
  ...(change.tags ? { tags: restamped(change.tags, newId) } : {}),
})

/** Tags of an artifact name the proposal that adds them. */
const restamped = ({ stamp, ...tags }: TagChange, proposal_id: string): TagChange =>
  stamp ? { ...tags, stamp: { ...stamp, at: new Date().toISOString(), proposal_id } } : tags
