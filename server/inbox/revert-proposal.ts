import type { Caller } from '#domain/authority/caller.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import { stateAllows } from '#domain/proposal/proposal-commands.rules.ts'
import { unifiedDiff } from '#server/garden/apply-diff.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { invalidTransition, notFound } from '#server/proposals/transition-proposal.ts'
import { type Successor, type SuccessorServices, submitSuccessor } from './submit-successor.ts'

/** [proposals#P18] Proposes the inverse of the commit, under all rules; 422 or 409 when it no longer applies. */
export async function revertProposal(
  services: SuccessorServices,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Successor>> {
  const db = services.db
  const old = await findProposal(db, id)
  if (!old) return notFound()
  if (!stateAllows('revert', old.status) || !old.git_commit)
    return invalidTransition(db, old, 'revert', actor)
  const drafts = await inverse(services.garden, old, old.git_commit)
  if (!drafts.ok) return drafts
  return submitSuccessor(
    services,
    {
      old,
      drafts: () => drafts.value,
      summary: `Revert: ${old.summary}`.slice(0, 200),
      reasoning: `Reverts commit ${old.git_commit} of ${id}.`,
      forward: 'reverted_by',
      back: 'reverts',
      command: 'revert',
    },
    actor,
  )
}

async function inverse(
  garden: GitRepository,
  old: ProposalRow,
  commit: string,
): Promise<Result<DraftChange[]>> {
  const [applied] = await garden.log({ from: commit, limit: 1 })
  const parent = applied?.parents[0]
  if (!parent) return refuse({ code: 'DIFF_INVALID', message: 'The first commit cannot be reverted.' })
  const drafts: DraftChange[] = []
  for (const path of old.applied_paths) {
    const [before, after] = await Promise.all([garden.read(path, parent), garden.read(path, commit)])
    if (!before && !after) continue
    if (!before) drafts.push({ path, diff: { type: 'delete' }, ...(after ? { baseHash: after.sha256 } : {}) })
    else if (!after)
      drafts.push({ path, diff: { type: 'create', text: before.text }, baseHash: ABSENT, isKnownPath: true })
    else {
      const unified = unifiedDiff(path, toNoteText(after.text), toNoteText(before.text))
      drafts.push({ path, diff: { type: 'replace', unified } })
    }
  }
  return ok(drafts)
}
