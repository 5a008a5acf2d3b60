/**
 * Creates a follow-up proposal: a resubmission on a fresh base ([proposals#P15]) or the inverse of an applied change
 * ([proposals#P18]). It is an inbox entry of the owner's and is checked against the garden as it is now.
 *
 * The older row is locked meanwhile, so of two clicks one creates the successor and the other finds it. Agent, run and taint stay with
 * the content; the owner is the source.
 */
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { recordOf } from '#domain/event/record.rules.ts'
import { proposalId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { PROPOSAL_RECORD } from '#domain/proposal/proposal.record.ts'
import { CLOSED_WITHOUT_EFFECT } from '#domain/proposal/proposal-commands.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { type DraftChange, normalForm } from '#server/proposals/normal-form.ts'
import { findProposal, type ProposalRow, type Relations } from '#server/proposals/proposal-row.ts'
import { auditName } from '#server/proposals/transition-proposal.ts'
import type { Services } from '#server/services.ts'
import { createSuccessor, type SuccessorContent } from './create-successor.ts'
import { definitionFault } from './definition-fault.ts'

export type SuccessorServices = Pick<Services, 'db' | 'garden' | 'entryHandlers'>
export type Successor = { row: ProposalRow; inboxId: string; unchanged: boolean }

export type SuccessorPlan = {
  old: ProposalRow
  /** The changes for this id; a comment's file carries the id of its proposal. */
  drafts: (newId: string) => DraftChange[]
  summary: string
  reasoning: string
  forward: 'resubmitted_as' | 'reverted_by'
  back: 'resubmitted_from' | 'reverts'
  command: 'resubmit' | 'revert'
}

export async function submitSuccessor(
  services: SuccessorServices,
  plan: SuccessorPlan,
  actor: Caller,
): Promise<Result<Successor>> {
  const { db } = services
  const known = await findOpenSuccessor(db, plan.old, plan.forward)
  if (known) return known
  const content = await successorContent(services, plan.drafts)
  if (!content.ok) return content
  return db.transaction(async (tx) => {
    await tx.query(sql`SELECT 1 FROM proposal WHERE proposal_id = ${plan.old.proposal_id} FOR UPDATE`)
    const known = await findOpenSuccessor(tx, plan.old, plan.forward)
    return known ?? record(tx, plan, content.value, actor)
  })
}

async function findOpenSuccessor(
  db: Db,
  old: ProposalRow,
  forward: SuccessorPlan['forward'],
): Promise<Result<Successor> | null> {
  const id = (await findProposal(db, old.proposal_id))?.relations[forward]
  const row = id ? await findProposal(db, id) : null
  // One that was closed without effect makes room for another.
  if (!row || CLOSED_WITHOUT_EFFECT.includes(row.status)) return null
  return ok({ row, inboxId: row.inbox_entry_id, unchanged: true })
}

async function record(
  tx: Db,
  plan: SuccessorPlan,
  content: SuccessorContent,
  actor: Caller,
): Promise<Result<Successor>> {
  const made = await createSuccessor(tx, { ...plan, ...content }, actor)
  if (!made.ok) return made
  const relations = { [plan.forward]: content.newId }
  await relate(tx, { ...plan, relations, inboxId: made.value.inboxId }, actor)
  return ok({ ...made.value, unchanged: false })
}

type Relation = Pick<SuccessorPlan, 'old'> & {
  relations: Relations
  command: keyof Pick<typeof PROPOSAL_RECORD, 'resubmit' | 'revert' | 'edit' | 'rebase' | 'revise'>
  inboxId: string
  details?: Record<string, unknown>
}

/** The older proposal shows the newer one, and its history says by which command. */
export async function relate(tx: Db, relation: Relation, actor: Caller): Promise<void> {
  const { old, relations, command, inboxId, details } = relation
  const { rows } = await tx.query<
    Row<'proposal', 'relations' | 'version' | 'updated_at'>
  >(sql`UPDATE proposal SET relations = relations || ${json(relations)}
    WHERE proposal_id = ${old.proposal_id} RETURNING relations, version, updated_at`)
  await recordEvent(tx, {
    name: auditName(command),
    actor,
    resource: { type: 'proposal', id: old.proposal_id },
    refs: { proposal_id: old.proposal_id, inbox_id: inboxId },
    details: {
      ...relations,
      ...details,
      record: recordOf(PROPOSAL_RECORD[command], rows[0] ?? {}),
    },
  })
}

/** Changes for this id, in their normal form on the garden as it is now; refuses what may not be proposed. */
export async function successorContent(
  { db, garden, entryHandlers }: SuccessorServices,
  drafts: (newId: string) => DraftChange[],
): Promise<Result<SuccessorContent>> {
  const newId = proposalId(new Date(), crypto.randomUUID())
  const head = await garden.head()
  const changes = await normalForm(garden, head, drafts(newId))
  if (!changes.ok) return changes
  const fault = await definitionFault({ db, garden, entryHandlers }, head, changes.value)
  return fault ? refuse(fault) : ok({ newId, head, changes: changes.value })
}
