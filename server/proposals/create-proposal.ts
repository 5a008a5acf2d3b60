import sql from 'sql-template-tag'
import type { InboxAction } from '#contracts/inbox.contract.ts'
import type { Citation } from '#contracts/proposal-body.contract.ts'
import type { TraceEntry } from '#domain/approval-rule/evaluate.rules.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { targetKey } from '#domain/proposal/conflict.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { create, type Values } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { contentDigest } from './digests.ts'
import type { ProposalRow, Relations, StoredChange } from './proposal-row.ts'

/** Where a proposal's content comes from. Successors keep it, so that taint and agent stay with the content. */
export type Provenance = {
  sourceType: string
  sourceIdentity: string
  runId: string | null
  agentSlug: string | null
  agentVersion: string | null
  tainted: boolean
}

export type NewProposal = Provenance & {
  proposalId: string
  inboxId: string
  action: InboxAction
  target: { type: string; path: string }
  /** The path that holds the proposal's own id, if one does. */
  ownPath: string | null
  summary: string
  reasoning: string
  citations: Citation[]
  entityRefs: string[]
  changes: StoredChange[]
  baseRevision: string
  priority: 'normal' | 'high'
  ttlHours: number
  relations?: Relations
  /** How the approval rules judged it. */
  ruleTrace?: readonly TraceEntry[]
}

export type Creation =
  | { outcome: 'created' | 'known'; row: ProposalRow }
  | { outcome: 'duplicate'; proposalId: string }

export const digestOfNew = (p: Pick<NewProposal, 'action' | 'target' | 'changes' | 'ownPath'>): string =>
  contentDigest(p.action, p.target, p.changes, (path) => (path === p.ownPath ? '<own>' : path))

/**
 * [proposals#P1] A PENDING proposal with its event. A known id returns the existing one, so a replayed step creates nothing new; identical
 * content that waits for a decision, or is approved and still held, returns its id and counts the repeat there
 * ([inbox#admission-checks] 8).
 */
export async function createProposal(tx: Db, p: NewProposal, actor: Caller): Promise<Creation> {
  const digest = digestOfNew(p)
  const approved = await justApproved(tx, p, digest)
  if (approved) return { outcome: 'duplicate', proposalId: approved }
  const row = await create(tx, {
    machine: 'proposal',
    actor,
    details: { action: p.action, target: p.target.path.slice(0, 1024), content_digest: digest },
    prepared: true,
    values: valuesOf(p, digest),
  })
  if (row) return { outcome: 'created', row }
  const known = await tx.query<ProposalRow>(sql`SELECT * FROM proposal WHERE proposal_id = ${p.proposalId}`)
  if (known.rows[0]) return { outcome: 'known', row: known.rows[0] }
  const again = await tx.query<
    Row<'proposal', 'proposal_id'>
  >(sql`UPDATE proposal SET seen_again = seen_again + 1
    WHERE content_digest = ${digest} AND status = ${state(proposalMachine, 'PENDING')} RETURNING proposal_id`)
  const duplicate = again.rows[0]
  // The identical one was decided between the two statements: now there is room for this one.
  return duplicate
    ? { outcome: 'duplicate', proposalId: duplicate.proposal_id }
    : createProposal(tx, p, actor)
}

/** Until the hold is over an undo makes the approved one PENDING again. SQL: found in the queue of its target. */
async function justApproved(tx: Db, p: NewProposal, digest: string): Promise<string | null> {
  const { rows } = await tx.query<Row<'proposal', 'proposal_id'>>(
    prepared(sql`UPDATE proposal SET seen_again = seen_again + 1
    WHERE target_key = ${targetKey(p.target.path)} AND content_digest = ${digest} AND status = ${state(proposalMachine, 'APPROVED')}
      AND apply_not_before > clock_timestamp()
      AND NOT EXISTS (SELECT 1 FROM proposal known WHERE known.proposal_id = ${p.proposalId}) RETURNING proposal_id`),
  )
  return rows[0]?.proposal_id ?? null
}

function valuesOf(p: NewProposal, digest: string): Values<'proposal'> {
  const targetChange = p.changes.find((c) => p.target.path.endsWith(`/${c.path}`)) ?? p.changes[0]
  return {
    proposal_id: p.proposalId,
    inbox_entry_id: p.inboxId,
    source_type: p.sourceType,
    source_identity: p.sourceIdentity,
    run_id: p.runId,
    agent_slug: p.agentSlug,
    agent_version: p.agentVersion,
    tainted: p.tainted,
    action: p.action,
    target_type: p.target.type,
    target_path: p.target.path,
    target_key: targetKey(p.target.path),
    summary: p.summary,
    reasoning: p.reasoning,
    changes: json(p.changes),
    citations: json(p.citations),
    entity_refs: json(p.entityRefs),
    content_digest: digest,
    base_revision: p.baseRevision,
    target_hash: targetChange?.base_hash ?? 'absent',
    priority: p.priority,
    relations: json(p.relations ?? {}),
    rule_trace: json(p.ruleTrace ?? []),
    expires_at: sql`clock_timestamp() + make_interval(hours => ${p.ttlHours})`,
  }
}
