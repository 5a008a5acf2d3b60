/** What a batch would do as things are now ([proposals#batch]): what is decided, in how many files, and what cannot be and why. No writes. */
import sql from 'sql-template-tag'
import type { BatchPreview, BatchPreviewInput } from '#contracts/proposal-batch.contract.ts'
import { can } from '#domain/kernel/machine.ts'
import { type Decision, type Exclusion, overlaps } from '#domain/proposal/batch.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { RISK_LEVELS, type Risk, riskLevel } from '#domain/proposal/risk.rules.ts'
import { isInConflict, type Standing } from '#domain/proposal/standing.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { changesAwaited } from './changes-awaited.ts'
import { currentContent, standingAgainst } from './current-content.ts'
import { reviewDigest } from './digests.ts'
import { changeBase, type StoredChange } from './proposal-row.ts'
import { changesOf } from './proposal-view.ts'

type Found = Row<
  'proposal',
  | 'proposal_id'
  | 'summary'
  | 'target_path'
  | 'priority'
  | 'status'
  | 'content_digest'
  | 'agent_slug'
  | 'awaiting_changes_since'
> & { risk: Risk | null; overdue: boolean; changes: StoredChange[] }

const { approve, reject } = proposalMachine.events

export async function previewBatch(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  { proposal_ids, status }: BatchPreviewInput,
): Promise<BatchPreview> {
  const rows = await foundOf(db, proposal_ids)
  const content = await currentContent(garden)
  const proposals: BatchPreview['proposals'] = []
  const excluded: BatchPreview['excluded'] = []
  const files = new Set<string>()
  for (const proposal_id of new Set(proposal_ids)) {
    const row = rows.get(proposal_id)
    const standing = row && (await standingAgainst(content, row.changes))
    const reason = row && standing ? exclusionOf(row, standing, status) : 'not_found'
    if (!row || !standing || reason) {
      const { summary = null, status: now = null } = row ?? {}
      excluded.push({ proposal_id, summary, status: now, reason: reason ?? 'not_found' })
      continue
    }
    proposals.push(previewOf(row, standing, files))
    for (const { path } of row.changes) files.add(path)
  }
  const count = (wanted: Exclusion) => excluded.filter(({ reason }) => reason === wanted).length
  return {
    status,
    commits: status === approve.to ? proposals.length : 0,
    files: files.size,
    conflicts: count('conflict'),
    expired: count('expired'),
    highest_priority: highestOf(proposals),
    highest_risk: RISK_LEVELS.find((level) => proposals.some(({ risk }) => risk === level)) ?? null,
    proposals,
    excluded,
  }
}

function previewOf(row: Found, standing: Standing, changed: ReadonlySet<string>) {
  const { proposal_id, summary, target_path: path, priority } = row
  const changes = row.changes.map((change) => ({ path: change.path, ...changeBase(change) }))
  const review_digest = reviewDigest(row, standing)
  const risk = row.risk && riskLevel(row.risk)
  return { proposal_id, summary, path, priority, risk, review_digest, overlaps: overlaps(changes, changed) }
}

/** Why it cannot be decided so, or null when it can. What cannot be merged, what is late, and what its agent still works on can be rejected. */
function exclusionOf(row: Found, standing: Standing, status: Decision): Exclusion | null {
  if (status === reject.to) return can(proposalMachine, row.status, 'reject') ? null : 'decided'
  if (row.status === proposalMachine.events.expire.to) return 'expired'
  if (!can(proposalMachine, row.status, 'approve')) return 'decided'
  if (row.overdue) return 'expired'
  if (changesAwaited(row)) return 'awaiting_changes'
  return isInConflict(standing) ? 'conflict' : null
}

function highestOf(proposals: BatchPreview['proposals']): BatchPreview['highest_priority'] {
  if (proposals.length === 0) return null
  return proposals.some(({ priority }) => priority === 'high') ? 'high' : 'normal'
}

/** SQL: whether one is overdue is told by the clock of the ledger. */
async function foundOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  const changes = await changesOf(db, ids)
  const { rows } = await db.query<
    Omit<Found, 'changes'>
  >(sql`SELECT proposal_id, summary, target_path, priority, risk, status, content_digest,
      agent_slug, awaiting_changes_since, expires_at <= clock_timestamp() AS overdue FROM proposal WHERE proposal_id = ANY(${[...ids]}::text[])`)
  return new Map(
    rows.map((row) => [row.proposal_id, { ...row, changes: changes.get(row.proposal_id) ?? [] }]),
  )
}
