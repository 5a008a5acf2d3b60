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
import { inboxId, proposalId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { PROPOSAL_RECORD } from '#domain/proposal/proposal.record.ts'
import { CLOSED_WITHOUT_EFFECT } from '#domain/proposal/proposal-commands.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { createProposal } from '#server/proposals/create-proposal.ts'
import { digestOf } from '#server/proposals/digests.ts'
import { type DraftChange, normalForm } from '#server/proposals/normal-form.ts'
import { findProposal, type ProposalRow, type StoredChange } from '#server/proposals/proposal-row.ts'
import { auditName } from '#server/proposals/transition-proposal.ts'
import type { Services } from '#server/services.ts'
import { definitionFault } from './definition-fault.ts'
import type { EntryRow } from './entry-row.ts'
import { receiveEntry, refuseEntry, resolveEntry } from './entry-transitions.ts'
import { duplicateEntry } from './resolve-plan.ts'

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

const TTL_HOURS = 72

export async function submitSuccessor(
  { db, garden, entryHandlers }: SuccessorServices,
  plan: SuccessorPlan,
  actor: Caller,
): Promise<Result<Successor>> {
  const known = await findOpenSuccessor(db, plan.old, plan.forward)
  if (known) return known
  const newId = proposalId(new Date(), crypto.randomUUID())
  const head = await garden.head()
  const changes = await normalForm(garden, head, plan.drafts(newId))
  if (!changes.ok) return changes
  const fault = await definitionFault({ db, garden, entryHandlers }, head, changes.value)
  if (fault) return refuse(fault)
  return db.transaction(async (tx) => {
    await tx.query(sql`SELECT 1 FROM proposal WHERE proposal_id = ${plan.old.proposal_id} FOR UPDATE`)
    const known = await findOpenSuccessor(tx, plan.old, plan.forward)
    return known ?? record(tx, plan, { newId, head, changes: changes.value }, actor)
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

type Content = { newId: string; head: string; changes: StoredChange[] }

async function record(
  tx: Db,
  plan: SuccessorPlan,
  content: Content,
  actor: Caller,
): Promise<Result<Successor>> {
  const { old } = plan
  const entry = await receive(tx, plan, actor)
  const made = await createProposal(tx, newRow(plan, content, entry), actor)
  if (made.outcome === 'duplicate') {
    const refusal = duplicateEntry({ proposal_id: made.proposalId, inbox_id: entry.inbox_id })
    await refuseEntry(tx, entry.inbox_id, refusal)
    return refuse(refusal)
  }
  await resolveEntry(tx, entry.inbox_id, { kind: 'proposal', id: made.row.proposal_id })
  const { rows } = await tx.query<
    Row<'proposal', 'relations' | 'version' | 'updated_at'>
  >(sql`UPDATE proposal SET relations = relations || ${json({ [plan.forward]: content.newId })}
    WHERE proposal_id = ${old.proposal_id} RETURNING relations, version, updated_at`)
  await recordEvent(tx, {
    name: auditName(plan.command),
    actor,
    resource: { type: 'proposal', id: old.proposal_id },
    refs: { proposal_id: old.proposal_id, inbox_id: entry.inbox_id },
    details: {
      [plan.forward]: content.newId,
      record: recordOf(PROPOSAL_RECORD[plan.command], rows[0] ?? {}),
    },
  })
  return ok({ row: made.row, inboxId: entry.inbox_id, unchanged: false })
}

async function receive(tx: Db, plan: SuccessorPlan, actor: Caller): Promise<EntryRow> {
  const { old } = plan
  const payload = { [plan.back]: old.proposal_id, summary: plan.summary }
  const entry = await receiveEntry(
    tx,
    {
      inboxId: inboxId(new Date(), crypto.randomUUID().replaceAll('-', '')),
      sourceType: actor.via === 'api' ? 'api' : 'ui',
      sourceIdentity: actor.identity,
      action: old.action,
      target: old.target_path,
      payload,
      bodyDigest: digestOf(payload),
      correlationId: crypto.randomUUID(),
      priority: old.priority,
      ttlHours: TTL_HOURS,
      runId: old.run_id,
    },
    actor,
  )
  if (!entry) throw new Error('a fresh inbox id was taken')
  return entry
}

function newRow(plan: SuccessorPlan, { newId, head, changes }: Content, entry: EntryRow) {
  const { old } = plan
  return {
    proposalId: newId,
    inboxId: entry.inbox_id,
    sourceType: entry.source_type,
    sourceIdentity: entry.source_identity,
    runId: old.run_id,
    agentSlug: old.agent_slug,
    agentVersion: old.agent_version,
    tainted: old.tainted,
    action: old.action,
    target: { type: old.target_type, path: old.target_path },
    ownPath: changes.find((change) => change.path.includes(newId))?.path ?? null,
    summary: plan.summary,
    reasoning: plan.reasoning,
    citations: old.citations,
    entityRefs: old.entity_refs,
    changes,
    baseRevision: head,
    priority: old.priority,
    ttlHours: TTL_HOURS,
    relations: { [plan.back]: old.proposal_id },
  }
}
