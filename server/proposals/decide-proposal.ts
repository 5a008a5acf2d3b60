/**
 * The owner decides: approve, reject, or undo an approval before the Apply Engine takes it. Each competes for the row by one guarded
 * statement, so of parallel decisions and the expiry exactly one wins ([proposals#P3]).
 */
import sql from 'sql-template-tag'
import type { FreshnessView } from '#contracts/proposal.contract.ts'
import type { ApproveInput, Override, RejectInput } from '#contracts/proposal-commands.contract.ts'
import { type Caller, SCHEDULER } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { REASON_LENGTH } from '#domain/proposal/decision.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isInConflict, type Standing } from '#domain/proposal/standing.rules.ts'
import { sqlState, UNIQUE_VIOLATION } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { changesAwaited } from './changes-awaited.ts'
import { currentContent, freshnessView, standingAgainst } from './current-content.ts'
import { reviewDigest } from './digests.ts'
import { NEEDS_NO_FORCE, overrideRefusal, PASSWORD_TO_OVERWRITE, targetChanged } from './override-refusal.ts'
import { findProposal, type ProposalRow } from './proposal-row.ts'
import { explain, notFound, type Outcome, transitionProposal, tryTransition } from './transition-proposal.ts'

export type DecisionServices = Pick<Services, 'db' | 'garden' | 'env'>

/** A batch may leave out what was seen: the content of the moment of its decision is pinned then ([proposals#batch]). */
type Approval = ApproveInput & { pinsCurrent?: boolean }

/**
 * [proposals#P3] PENDING → APPROVED, bound to what the owner saw. 409 `TARGET_CHANGED` when the target changed and cannot be merged, 409
 * `STALE_REVIEW` with the new digest when the review is missing or outdated; neither is recorded. The Apply Engine may take it
 * `APPLY_HOLD_SECONDS` later.
 *
 * `force` approves in spite of a conflict, to overwrite exactly the content whose hash the owner names ([proposals#force]). It needs a
 * password entered in the last five minutes: 403 `STEP_UP_REQUIRED`.
 */
export async function approveProposal(
  services: DecisionServices,
  { proposal_id: id, review_digest, force, pinsCurrent = false }: Approval,
  actor: Caller,
  { steppedUp }: { steppedUp: boolean } = { steppedUp: false },
): Promise<Result<Outcome>> {
  const { db, garden } = services
  if (force && !steppedUp) return refuse(PASSWORD_TO_OVERWRITE)
  const row = await findProposal(db, id)
  if (!row) return notFound()
  const open = can(proposalMachine, row.status, 'approve')
  if (open && row.overdue) await expireOverdue(db, id)
  if (!open || row.overdue) return explain(db, { id, event: 'approve', actor })
  const awaited = changesAwaited(row)
  if (awaited) return refuse(awaited)
  const content = await currentContent(garden)
  const standing = await standingAgainst(content, row.changes)
  const digest = reviewDigest(row, standing)
  const seen = review_digest ?? (pinsCurrent ? digest : undefined)
  const outdated = reviewRefusal(row, { head: content.head, standing, digest, seen, force })
  if (outdated) return refuse(outdated)
  return recordApproval(services, { row, digest, standing, force }, actor)
}

export type Review = {
  row: ProposalRow
  digest: string
  standing: Pick<Standing, 'state'>
  force?: Override | undefined
}

/** The approval itself, of a review that counts: bound to the version that was reviewed, held for `APPLY_HOLD_SECONDS`. */
export const recordApproval = (
  { db, env }: Pick<DecisionServices, 'db' | 'env'>,
  { row, digest, standing, force }: Review,
  actor: Caller,
): Promise<Result<Outcome>> =>
  transitionProposal(db, {
    id: row.proposal_id,
    event: 'approve',
    actor,
    guard: sql`o.version = ${row.version} AND o.expires_at > clock_timestamp()`,
    set: sql`decided_by = ${actor.identity}, decided_at = clock_timestamp(), decision_mode = 'manual', decision_note = ${force ? redactText(force.reason) : null},
      reason_code = NULL, review_digest = ${digest}, force_over_hash = ${force?.over_hash ?? null},
      apply_not_before = clock_timestamp() + make_interval(secs => ${env.APPLY_HOLD_SECONDS}), error = NULL,`,
    reason: force?.reason,
    details: {
      review_digest: digest,
      freshness: standing.state,
      ...(force ? { over_hash: force.over_hash } : {}),
    },
  })

/** [proposals#P5] for one proposal, when its decision comes too late. */
export const expireOverdue = (db: Services['db'], id: string): Promise<unknown> =>
  tryTransition(db, {
    id,
    event: 'expire',
    actor: SCHEDULER,
    guard: sql`o.expires_at <= clock_timestamp()`,
  })

/** Why this review does not count for the content as it is now, or null when it does. */
export function reviewRefusal(
  row: Pick<ProposalRow, 'changes'>,
  now: {
    head: string
    standing: Standing
    digest: string
    seen: string | undefined
    force?: Override | undefined
  },
): Refusal | null {
  const freshness = freshnessView(now.head, now.standing, row.changes)
  if (now.force && !isInConflict(now.standing)) return NEEDS_NO_FORCE
  const changed = now.force ? overrideRefusal(now.force, freshness) : conflictRefusal(now.standing, freshness)
  if (changed) return { ...changed, details: { ...changed.details, review_digest: now.digest } }
  if (now.seen === now.digest) return null
  const message = 'The diff has changed since it was reviewed. Review it again, then approve.'
  return { code: 'STALE_REVIEW', message, details: { review_digest: now.digest } }
}

const conflictRefusal = (standing: Standing, freshness: FreshnessView) =>
  isInConflict(standing)
    ? targetChanged(
        'The target has changed since this was proposed. Rebase the proposal, overwrite the target or reject it.',
        freshness,
      )
    : null

/** [proposals#P4] [proposals#P13] PENDING or FAILED → REJECTED. The agent learns from the note and its code. */
export async function rejectProposal(
  { db }: Pick<Services, 'db'>,
  { proposal_id: id, decision_note, reason_code }: RejectInput,
  actor: Caller,
): Promise<Result<Outcome>> {
  const note = decision_note.trim()
  const missing = noteRefusal(note)
  if (missing) return refuse(missing)
  return transitionProposal(db, {
    id,
    event: 'reject',
    actor,
    set: sql`decided_by = ${actor.identity}, decided_at = clock_timestamp(), decision_mode = 'manual', decision_note = ${redactText(note)},
      reason_code = ${reason_code ?? null}, review_digest = NULL, apply_not_before = NULL, force_over_hash = NULL,`,
    reason: note,
    details: { reason_code: reason_code ?? null },
  })
}

/** Why this is no note of a rejection, or null when it is one. */
export function noteRefusal(note: string): Refusal | null {
  if (note.trim().length >= REASON_LENGTH.min) return null
  const details = [{ field: 'decision_note', message: `must have at least ${REASON_LENGTH.min} characters` }]
  const message = `Give a reason of at least ${REASON_LENGTH.min} characters.`
  return { code: 'VALIDATION_FAILED', message, details }
}

const IDENTICAL_PENDING = sql`FROM proposal q WHERE q.content_digest = o.content_digest AND q.status = ${state(proposalMachine, 'PENDING')}`

/**
 * [proposals#P6] APPROVED → PENDING until the Apply Engine has taken it. The decision stays in the history; at least an hour is left to
 * decide again. 409 `DUPLICATE_ENTRY` where the same content has been submitted again since: only one of the two can be pending.
 */
export async function undoApproval(
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> {
  const row = await undone(db, id, actor)
  if (row) return ok({ row, unchanged: false })
  const { rows } = await db.query<Row<'proposal', 'proposal_id'>>(sql`SELECT
    (SELECT q.proposal_id ${IDENTICAL_PENDING}) AS proposal_id FROM proposal o
    WHERE o.proposal_id = ${id} AND o.status = ${state(proposalMachine, 'APPROVED')}`)
  const twin = rows[0]?.proposal_id
  if (!twin) return explain(db, { id, event: 'undo', actor })
  const message = 'The same change is pending again in another proposal. Reject that one, then undo.'
  return refuse({ code: 'DUPLICATE_ENTRY', message, details: { proposal_id: twin } })
}

/**
 * One that is submitted in the very moment is not seen by the guard, but by the unique index: nothing is undone either. That ends the transaction, so
 * `db` is the pool.
 */
const undone = (db: Services['db'], id: string, actor: Caller): Promise<ProposalRow | null> =>
  tryTransition(db, {
    id,
    event: 'undo',
    actor,
    guard: sql`NOT EXISTS (SELECT 1 ${IDENTICAL_PENDING})`,
    set: sql`decided_by = NULL, decided_at = NULL, decision_mode = NULL, decision_note = NULL, reason_code = NULL, review_digest = NULL,
      apply_not_before = NULL, force_over_hash = NULL, error = NULL, expires_at = greatest(t.expires_at, clock_timestamp() + interval '1 hour'),`,
  }).catch((error: unknown) => {
    if (sqlState(error) === UNIQUE_VIOLATION) return null
    throw error
  })
