import type { Caller } from '#domain/authority/caller.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { cutText } from '#domain/kernel/cut-text.ts'
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
  const inverse = await inverseOf(services.garden, old, old.git_commit)
  if (!inverse.ok) return inverse
  const { drafts, raisesVersion } = inverse.value
  if (drafts.length === 0) return refuse(NOTHING_TO_REVERT)
  return submitSuccessor(
    services,
    {
      old,
      drafts: () => drafts,
      summary: cutText(`Revert: ${old.summary}`, 200),
      reasoning: reasoningOf(old, raisesVersion),
      forward: 'reverted_by',
      back: 'reverts',
      command: 'revert',
    },
    actor,
  )
}

/** One applied where the garden already held what it asked for: its commit stands on the branch and changes no file. */
const NOTHING_TO_REVERT = {
  code: 'DIFF_INVALID',
  message: 'This commit changed nothing, so there is nothing to revert.',
} as const

const reasoningOf = ({ git_commit, proposal_id }: ProposalRow, raisesVersion: boolean): string =>
  [
    `Reverts commit ${git_commit} of ${proposal_id}.`,
    ...(raisesVersion ? ['The version of the definition rises.'] : []),
  ].join(' ')

/** `raisesVersion`: one of them brings a definition back as a new version. */
type Inverse = { drafts: DraftChange[]; raisesVersion: boolean }

async function inverseOf(garden: GitRepository, old: ProposalRow, commit: string): Promise<Result<Inverse>> {
  const [applied] = await garden.log({ from: commit, limit: 1 })
  const parent = applied?.parents[0]
  if (!parent) return refuse({ code: 'DIFF_INVALID', message: 'The first commit cannot be reverted.' })
  const drafts: DraftChange[] = []
  let raisesVersion = false
  for (const path of old.applied_paths) {
    const [before, after] = await Promise.all([garden.read(path, parent), garden.read(path, commit)])
    if (!before && !after) continue
    if (!before) drafts.push({ path, diff: { type: 'delete' }, ...(after ? { baseHash: after.sha256 } : {}) })
    else if (!after)
      drafts.push({ path, diff: { type: 'create', text: before.text }, baseHash: ABSENT, isKnownPath: true })
    else {
      const texts = { before: before.text, after: after.text }
      const version = await asNewVersion(garden, path, texts)
      if (version && !version.ok) return version
      if (version) raisesVersion = true
      drafts.push(version?.value ?? inverseEdit(path, texts))
    }
  }
  return ok({ drafts, raisesVersion })
}

type Edit = { before: string; after: string }

/** Null for a file that is no definition, or a definition that has no next version. */
async function asNewVersion(
  garden: GitRepository,
  path: string,
  edit: Edit,
): Promise<Result<DraftChange> | null> {
  const now = DEFINITION.test(path) ? await garden.read(path, await garden.head()) : null
  return now && revertDefinition(path, { ...edit, now: now.text })
}

const inverseEdit = (path: string, { before, after }: Edit): DraftChange => ({
  path,
  diff: { type: 'replace', unified: unifiedDiff(path, toNoteText(after), toNoteText(before)) },
})
