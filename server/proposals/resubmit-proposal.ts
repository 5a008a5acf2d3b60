import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { stateAllows } from '#domain/proposal/proposal-commands.rules.ts'
import { type Successor, type SuccessorServices, submitSuccessor } from '#server/inbox/submit-successor.ts'
import { diffOf, findProposal } from './proposal-row.ts'
import { auditName, invalidTransition, notFound } from './transition.ts'

/**
 * P15: the same change once more, on the content as it is now, as a new PENDING Proposal; the old one stays as it is and shows the
 * new id. 422 `DIFF_INVALID` when it no longer applies. A repeat finds the successor that lives.
 */
export async function resubmitProposal(
  services: SuccessorServices,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Successor>> {
  const old = await findProposal(services.database, id)
  if (!old) return notFound()
  if (!stateAllows('resubmit', old.status))
    return invalidTransition(services.database, old, 'resubmit', actor)
  return submitSuccessor(
    services,
    {
      old,
      drafts: (newId) =>
        old.changes.map((change) => ({
          path: change.path.replace(id, newId),
          diff: diffOf(change),
          ...(change.tags ? { tags: change.tags } : {}),
        })),
      summary: old.summary,
      reasoning: old.reasoning,
      forward: 'resubmitted_as',
      back: 'resubmitted_from',
      eventName: auditName('resubmit'),
    },
    actor,
  )
}
