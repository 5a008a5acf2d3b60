import sql from 'sql-template-tag'
import type { ChangeView, ProposalView } from '#contracts/proposal.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { remoteMark } from '#domain/garden/remote.rules.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { isOpen } from '#domain/proposal/open.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { rowOf } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { assessRisks } from './assess-risk.ts'
import { changeViews } from './change-view.ts'
import { currentContent, standingAgainst } from './current-content.ts'
import { reviewDigest } from './digests.ts'
import type { ProposalRow } from './proposal-row.ts'
import { iso, itemOf, riskView } from './proposal-view.ts'
import { notFound } from './transition-proposal.ts'

/** The review page: the real diff against the garden as it is now, and the digest that approving pins. */
export async function getProposal(
  { db, garden, reads, env }: Pick<Services, 'db' | 'garden' | 'reads'> & { env: Remote },
  id: string,
  role: Role,
): Promise<Result<ProposalView>> {
  const found = await reads.proposal.findUnique({
    where: { proposal_id: id },
    include: { inbox_entry: { select: { inbox_id: true, source_identity: true, received_at: true } } },
  })
  if (!found) return notFound()
  const { inbox_entry: entry, ...columns } = found
  const row = rowOf('proposal', columns)
  const content = await currentContent(garden)
  const standing = await standingAgainst(content, row.changes)
  const pending = row.status === proposalMachine.events.create.to
  const [changes, place, risks] = await Promise.all([
    changeViews({ db, garden }, content, row, standing),
    queuePlace(db, row),
    pending ? assessRisks({ db, garden }, new Map([[id, { changes: row.changes, standing }]])) : null,
  ])
  return ok({
    ...itemOf(row, role, isOpen(row.status) ? standing : null, content),
    ...bodyOf(row, changes),
    risk: riskView(risks?.get(id) ?? null),
    review_digest: reviewDigest(row, standing),
    lineage: {
      inbox_id: entry.inbox_id,
      entry_source: entry.source_identity,
      received_at: iso(entry.received_at),
      ...lineageOf(row),
    },
    approval: approvalOf(row),
    apply_result: applyResultOf(row, env),
    change_request: row.change_request,
    rule_trace: row.rule_trace,
    queue_place: place,
  })
}

const bodyOf = (row: ProposalRow, changes: ChangeView[]) => ({
  version: row.version,
  content: contentOf(row),
  relations: row.relations,
  reasoning: row.reasoning,
  citations: row.citations,
  entity_refs: row.entity_refs,
  base_revision: row.base_revision,
  target_hash: row.target_hash,
  content_digest: row.content_digest,
  changes,
})

const contentOf = ({ summary, changes, reasoning, citations, entity_refs }: ProposalRow) => ({
  summary,
  changes: changes.map(({ path, base_hash, ...diff }) => ({ path, diff, base_hash })),
  reasoning,
  citations,
  entity_refs,
})

type Remote = Pick<Services['env'], 'GARDEN_REMOTE'>

const applyResultOf = (
  row: ProposalRow,
  { GARDEN_REMOTE: remote }: Remote,
): ProposalView['apply_result'] => ({
  attempt: row.attempt,
  git_commit: row.git_commit,
  repository: row.git_commit ? 'garden' : null,
  object_paths: row.applied_paths,
  remote: remoteMark({
    configured: remote !== undefined,
    commit: row.git_commit,
    pushed: row.remote_pushed_at !== null,
  }),
  remote_pushed_at: remote && row.remote_pushed_at ? iso(row.remote_pushed_at) : null,
  applied_over_hash: row.applied_over_hash,
  result_hash: row.result_hash,
  rebased: row.rebased,
  error: row.error,
})

const lineageOf = (row: ProposalRow) => ({
  run_id: row.run_id,
  agent: row.agent_slug,
  agent_version: row.agent_version,
  git_commit: row.git_commit,
  resubmitted_from: row.relations.resubmitted_from ?? null,
  resubmitted_as: row.relations.resubmitted_as ?? null,
  reverts: row.relations.reverts ?? null,
  reverted_by: row.relations.reverted_by ?? null,
  edited_from: row.relations.edited_from ?? null,
  rebased_from: row.relations.rebased_from ?? null,
  superseded_by: row.relations.superseded_by ?? null,
  supersedes: row.relations.supersedes ?? null,
  remainder_of: row.relations.remainder_of ?? null,
  remainder_as: row.relations.remainder_as ?? null,
})

function approvalOf(row: ProposalRow): ProposalView['approval'] {
  if (!row.decided_by || !row.decided_at) return null
  return {
    decided_by: row.decided_by,
    decided_at: iso(row.decided_at),
    decision_note: row.decision_note,
    reason_code: row.reason_code,
    mode: row.decision_mode,
    rule_id: row.decision_mode === 'rule' ? row.rule_id : null,
    rule_version: row.decision_mode === 'rule' ? row.rule_version : null,
    review_digest: row.review_digest,
    apply_not_before: row.apply_not_before ? iso(row.apply_not_before) : null,
    force: row.force_over_hash ? { over_hash: row.force_over_hash, reason: row.decision_note ?? '' } : null,
  }
}

/** How many decisions on the same target are applied before this one; null when it is not waiting. SQL: rows compared as tuples. */
async function queuePlace(db: Db, row: ProposalRow): Promise<number | null> {
  if (!can(proposalMachine, row.status, 'take')) return null
  const { rows } = await db.query<{ n: number }>(sql`SELECT count(*) AS n FROM proposal e, proposal o
    WHERE o.proposal_id = ${row.proposal_id} AND e.target_key = o.target_key AND e.status IN ${states(proposalMachine, 'APPROVED', 'AUTO_APPROVED', 'APPLYING')}
      AND (e.decided_at, e.created_at, e.proposal_id) < (o.decided_at, o.created_at, o.proposal_id)`)
  return rows[0]?.n ?? 0
}
