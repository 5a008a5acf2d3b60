import type { ConflictFile, ConflictView } from '#contracts/proposal-conflict.contract.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isSupersedable } from '#domain/proposal/proposal-commands.rules.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import type { Services } from '#server/services.ts'
import { currentContent, freshnessView, standingAgainst } from './current-content.ts'
import { mergeChanges, noteTextAt } from './merge-changes.ts'
import { predictConflict } from './predict-conflict.ts'
import { findProposal } from './proposal-row.ts'
import { notFound } from './transition-proposal.ts'

/**
 * What stands against a proposal: the three texts of each file with their merge, computed against the content that `current_hash` names,
 * and the conflict that is about to come while there is none yet.
 */
export async function getConflict(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  id: string,
): Promise<Result<ConflictView>> {
  const row = await findProposal(db, id)
  if (!row) return notFound()
  const content = await currentContent(garden)
  const standing = await standingAgainst(content, row.changes)
  const view = { proposal_id: id, freshness: freshnessView(content.head, standing, row.changes) }
  const inConflict = isSupersedable(row.status) && isInConflict(standing)
  if (!inConflict) {
    const isOpen = can(proposalMachine, row.status, 'approve')
    return ok({
      ...view,
      files: [],
      predicted: isOpen ? await predictConflict({ db, garden }, row, content) : null,
    })
  }
  const currentText = (path: string) => noteTextAt(garden, path, content.head)
  const merged = await mergeChanges({ db, garden }, row, { standing, currentText })
  if (!merged.ok) return merged
  const files = merged.value.map(
    ({ change, base, current, proposed, merge }, i): ConflictFile => ({
      path: change.path,
      state: standing.changes[i]?.state ?? 'clean',
      current_hash: standing.changes[i]?.currentHash ?? ABSENT,
      base,
      current,
      proposed,
      merge,
    }),
  )
  return ok({ ...view, files, predicted: null })
}
