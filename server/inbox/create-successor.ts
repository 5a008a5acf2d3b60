import type { Caller } from '#domain/authority/caller.ts'
import { inboxId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { createProposal } from '#server/proposals/create-proposal.ts'
import { digestOf } from '#server/proposals/digests.ts'
import type { ProposalRow, Relations, StoredChange } from '#server/proposals/proposal-row.ts'
import { duplicateEntry } from './duplicate-entry.ts'
import type { EntryRow } from './entry-row.ts'
import { receiveEntry, refuseEntry, resolveEntry } from './entry-transitions.ts'

const TTL_HOURS = 72

/** The relation of a successor to the proposal that it comes from. */
export type BackRelation = keyof Pick<
  Relations,
  'resubmitted_from' | 'reverts' | 'edited_from' | 'rebased_from' | 'remainder_of'
>

export type SuccessorContent = { newId: string; head: string; changes: StoredChange[] }
export type NewSuccessor = SuccessorContent & {
  old: ProposalRow
  back: BackRelation
  summary: string
  reasoning: string
  /** More for the payload of its entry. */
  payload?: Record<string, unknown>
}

/**
 * A proposal that comes from another one, with the inbox entry that led to it, in the caller's transaction. Agent, run and taint stay with
 * the content; the owner is the source. Identical content that waits already is 409 `DUPLICATE_ENTRY`, and the entry rejected.
 */
export async function createSuccessor(
  tx: Db,
  next: NewSuccessor,
  actor: Caller,
): Promise<Result<{ row: ProposalRow; inboxId: string }>> {
  const entry = await receive(tx, next, actor)
  const made = await createProposal(tx, newRow(next, entry), actor)
  if (made.outcome === 'duplicate') {
    const refusal = duplicateEntry({ proposal_id: made.proposalId, inbox_id: entry.inbox_id })
    await refuseEntry(tx, entry.inbox_id, refusal)
    return refuse(refusal)
  }
  await resolveEntry(tx, entry.inbox_id, { kind: 'proposal', id: made.row.proposal_id })
  return ok({ row: made.row, inboxId: entry.inbox_id })
}

async function receive(tx: Db, next: NewSuccessor, actor: Caller): Promise<EntryRow> {
  const { old } = next
  const payload = { [next.back]: old.proposal_id, summary: next.summary, ...next.payload }
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

function newRow(next: NewSuccessor, entry: EntryRow) {
  const { old, newId, head, changes } = next
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
    summary: next.summary,
    reasoning: next.reasoning,
    citations: old.citations,
    entityRefs: old.entity_refs,
    changes,
    baseRevision: head,
    priority: old.priority,
    ttlHours: TTL_HOURS,
    relations: { [next.back]: old.proposal_id },
  }
}
