/**
 * Approves exactly what is on screen: the accepted hunks, the final text, or both ([proposals#edited-approval]).
 *
 * The content of a proposal never changes, so what is approved is a child with `edited_from`. The old one is superseded, the child created and
 * approved, and what is left out proposed again, in one transaction: of a parallel decision and an edit exactly one happens.
 */
import type { EditInput } from '#contracts/proposal-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { proposalId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { isEditable } from '#domain/proposal/hunks.rules.ts'
import { isSupersedable } from '#domain/proposal/proposal-commands.rules.ts'
import { standingOf } from '#domain/proposal/standing.rules.ts'
import { changesAwaited } from '#server/proposals/changes-awaited.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import {
  approveProposal,
  type DecisionServices,
  recordApproval,
  reviewRefusal,
} from '#server/proposals/decide-proposal.ts'
import { digestOf, reviewDigest } from '#server/proposals/digests.ts'
import { changeBase, findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { invalidTransition, notFound } from '#server/proposals/transition-proposal.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { SuccessorContent } from './create-successor.ts'
import { editFacts } from './edit-facts.ts'
import {
  draftsOf,
  type EditedChange,
  editedChanges,
  isAsProposed,
  isLeftOut,
  remainderOf,
} from './edited-changes.ts'
import { type Successor, type SuccessorServices, successorContent } from './submit-successor.ts'
import { LOST, repeatOf, type Supersession, supersedeIn, supersedeWith } from './supersede-proposal.ts'

export type EditServices = SuccessorServices & DecisionServices
/** The approved child, or the proposal itself where nothing was edited; and what waits of the rest. */
export type Edited = Successor & { remainder: ProposalRow | null }

/**
 * 409 `STALE_REVIEW` and `TARGET_CHANGED` as an approval; 422 where a hunk is not of the diff, the text may not be kept, or nothing is left
 * to approve. The same request again returns what it made.
 */
export async function editProposal(
  services: EditServices,
  input: EditInput,
  actor: Caller,
): Promise<Result<Edited>> {
  const { db } = services
  const row = await findProposal(db, input.proposal_id)
  if (!row) return notFound()
  const { review_digest: _, ...asked } = input
  const request = digestOf(JSON.parse(JSON.stringify(asked)))
  const known = await repeatOf(db, { old: row, request })
  if (known) return withRemainder(services, row.proposal_id, known)
  if (!isSupersedable(row.status)) return invalidTransition(db, row, 'edit', actor)
  const awaited = changesAwaited(row)
  if (awaited) return refuse(awaited)
  const edited = await reviewed(services, row, input)
  if (!edited.ok) return edited
  if (edited.value.every(isAsProposed)) return asProposed(services, input, actor)
  const plan = planOf(row, input, request, edited.value)
  if (!plan.ok) return plan
  return supersede(services, plan.value, actor)
}

/** What the review leads to, if it counts for the content as it is now. */
async function reviewed(
  { garden }: EditServices,
  row: ProposalRow,
  input: EditInput,
): Promise<Result<EditedChange[]>> {
  if (!isEditable(row.target_type, row.changes))
    return refuse({
      code: 'FORBIDDEN',
      message: 'Memory, logic and the tags of an artifact are approved or rejected as a whole.',
    })
  const content = await currentContent(garden)
  const standing = await standingAgainst(content, row.changes)
  const digest = reviewDigest(row, standing)
  const outdated = reviewRefusal(row, { head: content.head, standing, digest, seen: input.review_digest })
  if (outdated) return refuse(outdated)
  const edited = await editedChanges(garden, row, input.changes)
  if (!edited.ok || !edited.value.every(isLeftOut)) return edited
  const message = 'Nothing is left to approve. Reject the proposal instead.'
  return refuse({ code: 'VALIDATION_FAILED', message, details: [{ field: 'changes', message }] })
}

/** Nothing was edited after all: an ordinary approval. */
async function asProposed(services: EditServices, input: EditInput, actor: Caller): Promise<Result<Edited>> {
  const { proposal_id, review_digest } = input
  const approved = await approveProposal(services, { proposal_id, review_digest }, actor)
  if (!approved.ok) return approved
  const { row, unchanged } = approved.value
  return ok({ row, inboxId: row.inbox_entry_id, unchanged, remainder: null })
}

function planOf(
  old: ProposalRow,
  input: EditInput,
  request: string,
  edited: readonly EditedChange[],
): Result<Supersession> {
  const newId = proposalId(new Date(), crypto.randomUUID())
  const rest = input.remainder === 'propose' ? remainderOf(old.proposal_id, newId, edited) : ok([])
  if (!rest.ok) return rest
  const note = input.decision_note === undefined ? null : redactText(input.decision_note)
  const facts = editFacts(edited, { remainder: input.remainder, note })
  return ok({
    old,
    command: 'edit',
    request,
    drafts: draftsOf(old.proposal_id, edited),
    remainder: rest.value.length > 0 ? { newId, head: old.base_revision, changes: rest.value } : null,
    reasonCode: input.reason_code,
    payload: { edit: facts.feedback },
    details: facts.recorded,
  })
}

async function supersede(services: EditServices, plan: Supersession, actor: Caller): Promise<Result<Edited>> {
  const content = await successorContent(services, plan.drafts)
  if (!content.ok) return content
  const pinned = plan.remainder
    ? { ...plan, remainder: { ...plan.remainder, head: content.value.head } }
    : plan
  const made = await supersedeWith(services.db, pinned, {
    actor,
    work: async (db) => approvedChild({ ...services, db }, pinned, content.value, actor),
  })
  return made.ok ? withRemainder(services, plan.old.proposal_id, made) : made
}

/** The child, approved as the owner has made it: on a base that `successorContent` has just read. */
async function approvedChild(
  services: EditServices,
  plan: Supersession,
  content: SuccessorContent,
  actor: Caller,
): Promise<Result<Successor> | typeof LOST> {
  const made = await supersedeIn(services.db, plan, content, actor)
  if (made === LOST || !made.ok) return made
  const { row } = made.value
  const standing = standingOf(row.changes.map((c) => ({ ...changeBase(c), currentHash: c.base_hash })))
  const approved = await recordApproval(
    services,
    { row, standing, digest: reviewDigest(row, standing) },
    actor,
  )
  return approved.ok ? ok({ ...made.value, row: approved.value.row }) : approved
}

async function withRemainder(
  { db }: Pick<EditServices, 'db'>,
  id: string,
  made: Result<Successor>,
): Promise<Result<Edited>> {
  if (!made.ok) return made
  const rest = (await findProposal(db, id))?.relations.remainder_as
  return ok({ ...made.value, remainder: rest ? await findProposal(db, rest) : null })
}
