/**
 * A Proposal that grows out of an older one: a resubmission on a fresh base, or the inverse of what was applied (contract page 01,
 * P15 and P18). It passes the Inbox like everything else: an entry of the owner's, checked against the garden as it is now.
 *
 * The older row is locked meanwhile, so that of two clicks one makes the successor and the other finds it. Agent, run and taint
 * stay with the content; the owner is the source.
 */
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { inboxId, proposalId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { json } from '#server/ledger/tell.ts'
import { createProposal } from '#server/proposals/create-proposal.ts'
import { digestOf } from '#server/proposals/digests.ts'
import { type DraftChange, normalForm } from '#server/proposals/normal-form.ts'
import { findProposal, type ProposalRow, type StoredChange } from '#server/proposals/proposal-row.ts'
import { type EntryRow, receiveEntry, refuseEntry, resolveEntry } from './entry-row.ts'

export type SuccessorServices = Pick<Services, 'database' | 'garden' | 'hints'>
export type Successor = { row: ProposalRow; inboxId: string; unchanged: boolean }

export type SuccessorPlan = {
  old: ProposalRow
  /** The changes for this id; a comment's file carries the id of its proposal. */
  drafts: (newId: string) => DraftChange[]
  summary: string
  reasoning: string
  forward: 'resubmitted_as' | 'reverted_by'
  back: 'resubmitted_from' | 'reverts'
  eventName: string
}

const TTL_HOURS = 72
/** States in which a successor has come to nothing, so that another one may be made. */
const CAME_TO_NOTHING: readonly string[] = ['REJECTED', 'DISCARDED', 'EXPIRED']

export async function submitSuccessor(
  { database, garden, hints }: SuccessorServices,
  plan: SuccessorPlan,
  actor: Caller,
): Promise<Result<Successor>> {
  const known = await livingSuccessor(database, plan.old, plan.forward)
  if (known) return known
  const newId = proposalId(new Date(), crypto.randomUUID())
  const head = await garden.head()
  const changes = await normalForm(garden, head, plan.drafts(newId))
  if (!changes.ok) return changes
  const made = await database.transaction(async (tx) => {
    await tx.query(sql`SELECT 1 FROM proposal WHERE proposal_id = ${plan.old.proposal_id} FOR UPDATE`)
    const known = await livingSuccessor(tx, plan.old, plan.forward)
    return known ?? record(tx, plan, { newId, head, changes: changes.value }, actor)
  })
  hints.hint('inbox')
  return made
}

async function livingSuccessor(
  db: Db,
  old: ProposalRow,
  forward: SuccessorPlan['forward'],
): Promise<Result<Successor> | null> {
  const id = (await findProposal(db, old.proposal_id))?.relations[forward]
  const row = id ? await findProposal(db, id) : null
  if (!row || CAME_TO_NOTHING.includes(row.status)) return null
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
    const details = { proposal_id: made.proposalId, inbox_id: entry.inbox_id }
    const refusal = {
      code: 'DUPLICATE_ENTRY',
      message: 'Exactly this waits for a decision already.',
      details,
    } as const
    await refuseEntry(tx, entry.inbox_id, refusal)
    return refuse(refusal)
  }
  await resolveEntry(tx, entry.inbox_id, { kind: 'proposal', id: made.row.proposal_id })
  await tx.query(sql`UPDATE proposal SET relations = relations || ${json({ [plan.forward]: content.newId })}
    WHERE proposal_id = ${old.proposal_id}`)
  await recordEvent(tx, {
    name: plan.eventName,
    actor,
    resource: { type: 'proposal', id: old.proposal_id },
    refs: { proposal_id: old.proposal_id, inbox_id: entry.inbox_id },
    details: { [plan.forward]: content.newId },
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
