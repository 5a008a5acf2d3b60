import type { RebaseInput } from '#contracts/proposal-conflict.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import { type FileResolution, type MergeDecision, resolveFile } from '#domain/proposal/merge.rules.ts'
import { isSupersedable } from '#domain/proposal/proposal-commands.rules.ts'
import { changesAwaited } from '#server/proposals/changes-awaited.ts'
import { currentContent, freshnessView, standingAgainst } from '#server/proposals/current-content.ts'
import { digestOf } from '#server/proposals/digests.ts'
import { type MergedChange, mergeChanges, noteTextAt } from '#server/proposals/merge-changes.ts'
import { type DraftChange, hashOfText } from '#server/proposals/normal-form.ts'
import { findProposal } from '#server/proposals/proposal-row.ts'
import { invalidTransition, notFound } from '#server/proposals/transition-proposal.ts'
import { sameChange } from './resubmit-proposal.ts'
import type { Successor, SuccessorServices } from './submit-successor.ts'
import { repeatOf, type Supersession, supersedeProposal } from './supersede-proposal.ts'

/**
 * [proposals#P16] Puts the proposal on the content as it is now: what both sides changed is merged, an overlap becomes what the owner decided.
 * A new PENDING proposal takes its place and is reviewed like any other; nothing is approved by it.
 *
 * The decisions hold for exactly the content they were made about: 409 `TARGET_CHANGED` with the new hash when `current_hash` is not that of
 * the target, and nothing is recorded. An overlap without a decision is 422.
 */
export async function rebaseProposal(
  services: SuccessorServices,
  input: RebaseInput,
  actor: Caller,
): Promise<Result<Successor>> {
  const { db, garden } = services
  const old = await findProposal(db, input.proposal_id)
  if (!old) return notFound()
  const payload = requestOf(input)
  const plan: Supersession = { old, command: 'rebase', request: digestOf(payload), payload, drafts: () => [] }
  const known = await repeatOf(db, plan)
  if (known) return known
  if (!isSupersedable(old.status)) return invalidTransition(db, old, 'rebase', actor)
  const awaited = changesAwaited(old)
  if (awaited) return refuse(awaited)
  const content = await currentContent(garden)
  const standing = await standingAgainst(content, old.changes)
  const freshness = freshnessView(content.head, standing, old.changes)
  if (freshness.current_hash !== input.current_hash) {
    const { current_revision, current_hash } = freshness
    const details = { current_revision, current_hash, freshness }
    const message = 'The target has changed again. Review the merge with its new content.'
    return refuse({ code: 'TARGET_CHANGED', message, details })
  }
  const currentText = (path: string) => noteTextAt(garden, path, content.head)
  const merged = await mergeChanges({ db, garden }, old, { standing, currentText })
  if (!merged.ok) return merged
  const hashes = standing.changes.map(({ currentHash }) => currentHash)
  const drafts = draftsOf(merged.value, hashes, input)
  if (!drafts.ok) return drafts
  const of = drafts.value
  return supersedeProposal(services, { ...plan, drafts: (newId) => of.map((draft) => draft(newId)) }, actor)
}

type Draft = (newId: string) => DraftChange

/** The changes of the child; a file that stays as it is has none. */
function draftsOf(
  merged: readonly MergedChange[],
  hashes: readonly string[],
  input: RebaseInput,
): Result<Draft[]> {
  const stray = input.files.find(({ path }) => !merged.some(({ change }) => change.path === path))
  if (stray) return fault(stray.path, 'The proposal does not change this file.')
  const drafts: Draft[] = []
  for (const [i, file] of merged.entries()) {
    const resolved = resolutionOf(file, input)
    if (!resolved.ok) return fault(file.change.path, PROBLEMS[resolved.problem], resolved)
    const draft = draftOf(input.proposal_id, file, { text: resolved.text, hash: hashes[i] ?? ABSENT })
    if (draft) drafts.push(draft)
  }
  if (drafts.length > 0) return ok(drafts)
  const message = 'The decisions leave every file as it is. Reject the proposal instead.'
  return refuse({ code: 'DIFF_INVALID', message })
}

const PROBLEMS = {
  undecided: 'Decide every overlap first.',
  surplus: 'There are more decisions than overlaps. Reload the merge.',
} as const

const fault = (path: string, problem: string, details: object = {}): Result<never> =>
  refuse({ code: 'VALIDATION_FAILED', message: `${path}: ${problem}`, details: { path, ...details } })

function resolutionOf(file: MergedChange, input: RebaseInput): FileResolution {
  const given = input.files.find(({ path }) => path === file.change.path)
  if (given && 'text' in given) return { ok: true, text: given.text }
  return resolveFile(file, (given?.decisions ?? []) as MergeDecision[])
}

type Resolved = { text: string | null; hash: string }

/** Null when the file stays as it is. Each is bound to the content that the merge was made with. */
function draftOf(oldId: string, file: MergedChange, { text, hash }: Resolved): Draft | null {
  const { change, current, proposed, isOwn } = file
  const at = { isKnownPath: true, baseHash: hash }
  if (isOwn && text === proposed)
    return (newId) => ({ ...sameChange(change, oldId, newId), ...(change.tags ? {} : { baseHash: hash }) })
  const { path } = change
  if (text === current) return null
  if (text === null) return () => ({ ...at, path, diff: { type: 'delete' } })
  if (current === null) return () => ({ ...at, path, diff: { type: 'create', text } })
  return () => ({ ...at, path, diff: { type: 'replace', text } })
}

/** What was asked for, as the child's entry keeps it: an own text by its hash. */
const requestOf = ({ current_hash, files }: RebaseInput): Record<string, unknown> => ({
  current_hash,
  files: files.map((file) =>
    'text' in file
      ? { path: file.path, text_hash: hashOfText(file.text) }
      : { path: file.path, decisions: file.decisions.map(keptDecision) },
  ),
})
const keptDecision = (decision: MergeDecision) =>
  decision.take === 'text' ? { take: 'text', text_hash: hashOfText(decision.text) } : decision
