/**
 * Puts another proposal in the place of one that is still open ([proposals#P16]): PENDING or FAILED → REJECTED → DISCARDED, and the child
 * with its relation, in one transaction.
 *
 * The rejection is one guarded statement over the state and the version that was reviewed, so it competes with approve, reject, expire and
 * another edit, and exactly one of them wins. Whoever loses leaves nothing behind: the transaction is rolled back as a whole, and the row as
 * it is then says why. The same request again returns the child that it made.
 */
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { ReasonCode } from '#domain/proposal/decision.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isSupersedable, type Superseding } from '#domain/proposal/proposal-commands.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { expireOverdue } from '#server/proposals/decide-proposal.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { invalidTransition, notFound, tryTransition } from '#server/proposals/transition-proposal.ts'
import { type BackRelation, createSuccessor, type SuccessorContent } from './create-successor.ts'
import { relate, type Successor, type SuccessorServices, successorContent } from './submit-successor.ts'

/** An answer of the agent arrives by its run ([proposals#requesting-changes]). */
type ByOwner = Exclude<Superseding, 'revise'>

/** How the child refers to the old one, and what the audit calls the digest of its content. */
const COMMANDS = {
  edit: { back: 'edited_from', digest: 'edited_digest' },
  rebase: { back: 'rebased_from', digest: 'rebased_digest' },
} as const satisfies Record<ByOwner, { back: BackRelation; digest: string }>

export type Supersession = {
  /** The row as it was reviewed: its version is the guard. */
  old: ProposalRow
  command: ByOwner
  /** The changes for this id; a comment's file carries the id of its proposal. */
  drafts: (newId: string) => DraftChange[]
  /** The digest of what was asked for: a repeat is known by it. */
  request: string
  /** More for the payload of the child's entry. */
  payload?: Record<string, unknown>
  /** A second child: what this one leaves out and is to wait for a decision of its own. */
  remainder?: SuccessorContent | null
  /** Why, for the agent. */
  reasonCode?: ReasonCode | undefined
  /** For the audit of the old one, beside both ids and both content digests. */
  details?: Record<string, unknown>
}

/** The child, PENDING; `unchanged` when this request has made it before. */
export async function supersedeProposal(
  services: SuccessorServices,
  plan: Supersession,
  actor: Caller,
): Promise<Result<Successor>> {
  const known = await repeatOf(services.db, plan)
  if (known) return known
  const content = await successorContent(services, plan.drafts)
  if (!content.ok) return content
  return supersedeWith(services.db, plan, {
    actor,
    work: (tx) => supersedeIn(tx, plan, content.value, actor),
  })
}

type Work<T> = { actor: Caller; work: (tx: Db) => Promise<Result<T> | Lost> }
/** The guard did not hold: somebody else has decided. */
export const LOST = Symbol('lost')
type Lost = typeof LOST

/**
 * A transaction around `supersedeIn` and whatever is to commit with it. A refusal rolls all of it back; a lost race is explained by the row
 * as it is afterwards: the child of the same request, `CONCURRENT_MODIFICATION` or `INVALID_TRANSITION`.
 */
export async function supersedeWith<T>(
  db: Db,
  plan: Supersession,
  { actor, work }: Work<T>,
): Promise<Result<T | Successor>> {
  try {
    return await db.transaction(async (tx) => {
      const outcome = await work(tx)
      if (outcome === LOST) throw new RolledBack(null)
      if (!outcome.ok) throw new RolledBack(outcome.refusal)
      return outcome
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    return error.refusal ? refuse(error.refusal) : explainLost(db, plan, actor)
  }
}

class RolledBack extends Error {
  readonly refusal: Refusal | null
  constructor(refusal: Refusal | null) {
    super(refusal?.message ?? 'lost')
    this.refusal = refusal
  }
}

/** Closes the old one and creates the child, in the caller's transaction, which must not commit what this refuses. */
export async function supersedeIn(
  tx: Db,
  plan: Supersession,
  content: SuccessorContent,
  actor: Caller,
): Promise<Result<Successor> | Lost> {
  const { old, command } = plan
  if (!(await closeSuperseded(tx, plan, content.newId, actor))) return LOST
  const made = await createSuccessor(tx, { ...childOf(plan), ...content }, actor)
  if (!made.ok) return made
  const { row, inboxId } = made.value
  const rest = plan.remainder
    ? await createSuccessor(
        tx,
        { ...childOf(plan), ...plan.remainder, back: 'remainder_of', payload: {} },
        actor,
      )
    : null
  if (rest && !rest.ok) return rest
  const relations = {
    superseded_by: row.proposal_id,
    ...(rest ? { remainder_as: rest.value.row.proposal_id } : {}),
  }
  const details = {
    proposed_digest: old.content_digest,
    [COMMANDS[command].digest]: row.content_digest,
    ...plan.details,
  }
  await relate(tx, { old, relations, command, inboxId, details }, actor)
  return ok({ row, inboxId, unchanged: false })
}

const childOf = ({ old, command, request, payload }: Supersession) => ({
  old,
  back: COMMANDS[command].back,
  summary: old.summary,
  reasoning: old.reasoning,
  payload: { request, ...payload },
})

/** PENDING or FAILED → REJECTED → DISCARDED; false when the guard did not hold. */
export async function closeSuperseded(
  tx: Db,
  plan: Pick<Supersession, 'old' | 'reasonCode'> & { command: Superseding },
  by: string,
  actor: Caller,
): Promise<boolean> {
  const { old, command } = plan
  const note = `superseded by ${by}`
  const details = { superseded_by: by, command }
  const rejected = await tryTransition(tx, {
    id: old.proposal_id,
    event: 'reject',
    actor,
    guard: sql`o.version = ${old.version} AND (o.status <> ${state(proposalMachine, 'PENDING')} OR o.expires_at > clock_timestamp())`,
    set: sql`decided_by = ${actor.identity}, decided_at = clock_timestamp(), decision_mode = 'manual', decision_note = ${note},
      reason_code = ${plan.reasonCode ?? null}, review_digest = NULL, apply_not_before = NULL, force_over_hash = NULL,`,
    reason: note,
    details,
  })
  if (!rejected) return false
  return (
    (await tryTransition(tx, { id: old.proposal_id, event: 'discard', actor, reason: note, details })) !==
    null
  )
}

/** The child that this very request has made, or null. */
export async function repeatOf(
  db: Db,
  { old, request }: Pick<Supersession, 'old' | 'request'>,
): Promise<Result<Successor> | null> {
  const id = (await findProposal(db, old.proposal_id))?.relations.superseded_by
  const child = id ? await findProposal(db, id) : null
  if (!child) return null
  const { rows } = await db.query<Row<'inbox_entry', 'payload'>>(
    sql`SELECT payload FROM inbox_entry WHERE inbox_id = ${child.inbox_entry_id}`,
  )
  if (rows[0]?.payload.request !== request) return null
  return ok({ row: child, inboxId: child.inbox_entry_id, unchanged: true })
}

async function explainLost(db: Db, plan: Supersession, actor: Caller): Promise<Result<Successor>> {
  const id = plan.old.proposal_id
  const known = await repeatOf(db, plan)
  if (known) return known
  const before = await findProposal(db, id)
  if (before?.overdue && can(proposalMachine, before.status, 'expire')) await expireOverdue(db, id)
  const row = await findProposal(db, id)
  if (!row) return notFound()
  if (!isSupersedable(row.status)) return invalidTransition(db, row, plan.command, actor)
  return refuse({
    code: 'CONCURRENT_MODIFICATION',
    message: 'The proposal has just been changed. Reload it.',
  })
}
