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
import { DEFINITION } from './definition-fault.ts'
import { revertDefinition } from './revert-definition.ts'
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
      reasoning: reasoningOf(old),
      forward: 'reverted_by',
      back: 'reverts',
      command: 'revert',
    },
    actor,
  )
}

const reasoningOf = ({ git_commit, proposal_id, applied_paths }: ProposalRow): string =>
  [
    `Reverts commit ${git_commit} of ${proposal_id}.`,
    ...(applied_paths.some((path) => DEFINITION.test(path)) ? ['The version of the definition rises.'] : []),
  ].join(' ')

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
      const draft = await inverseEdit(garden, path, { before: before.text, after: after.text })
      if (!draft.ok) return draft
      drafts.push(draft.value)
    }
  }
  return ok(drafts)
}

async function inverseEdit(
  garden: GitRepository,
  path: string,
  texts: { before: string; after: string },
): Promise<Result<DraftChange>> {
  const now = DEFINITION.test(path) ? await garden.read(path, await garden.head()) : null
  const reverted = now && revertDefinition(path, { ...texts, now: now.text })
  if (reverted) return reverted
  const unified = unifiedDiff(path, toNoteText(texts.after), toNoteText(texts.before))
  return ok({ path, diff: { type: 'replace', unified } })
}
