import sql from 'sql-template-tag'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { isEditable } from '#domain/proposal/hunks.rules.ts'
import { isOpen } from '#domain/proposal/open.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { commandsFor } from '#domain/proposal/proposal-commands.rules.ts'
import { type Risk, riskLevel } from '#domain/proposal/risk.rules.ts'
import { isInConflict, type Standing } from '#domain/proposal/standing.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { type Row, selected } from '#server/ledger/rows.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type CurrentContent, currentContent, freshnessView, standingAgainst } from './current-content.ts'

export const ITEM_NAMES = [
  'proposal_id',
  'inbox_entry_id',
  'status',
  'summary',
  'action',
  'target_type',
  'target_path',
  'source_type',
  'source_identity',
  'tainted',
  'agent_slug',
  'agent_version',
  'run_id',
  'priority',
  'created_at',
  'updated_at',
  'expires_at',
  'decided_by',
  'decided_at',
  'apply_not_before',
  'base_revision',
  'git_commit',
  'error',
  'archived_at',
  'seen_at',
  'snoozed_until',
  'awaiting_changes_since',
  'seen_again',
  'review_class',
  'risk',
  'risk_rank',
] as const

/** What a list needs of a row. The texts of its changes, which may be large, stay in the ledger. */
export type ItemRow = Row<'proposal', (typeof ITEM_NAMES)[number] | 'changes'>
export const ITEM_SELECT = selected(ITEM_NAMES)

/** The changes of these proposals without their texts. SQL: JSON is cut apart in the ledger. */
export async function changesOf(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ItemRow['changes']>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<Pick<ItemRow, 'proposal_id' | 'changes'>>(
    prepared(sql`SELECT p.proposal_id,
      (SELECT coalesce(jsonb_agg(c - 'unified' - 'text' ORDER BY n), '[]') FROM jsonb_array_elements(p.changes) WITH ORDINALITY AS e(c, n)) AS changes
    FROM proposal p WHERE p.proposal_id = ANY(${[...ids]}::text[])`),
  )
  return new Map(rows.map((row) => [row.proposal_id, row.changes]))
}

const UNDECIDED = proposalMachine.events.create.to
/** The risk with its level; null while nobody has looked. */
export const riskView = (risk: Risk | null): ProposalItem['risk'] =>
  risk && { ...risk, level: riskLevel(risk) }

export const iso = (at: Date): string => at.toISOString()
const isoOrNull = (at: Date | null): string | null => at?.toISOString() ?? null

/** Rows as a reader of this role sees them; open ones with their freshness. */
export async function itemsOf(
  garden: GitRepository,
  rows: readonly ItemRow[],
  role: Role,
): Promise<ProposalItem[]> {
  const content = rows.some((row) => isOpen(row.status)) ? await currentContent(garden) : null
  return Promise.all(
    rows.map(async (row) => {
      const open = content && isOpen(row.status)
      return itemOf(row, role, open ? await standingAgainst(content, row.changes) : null, content)
    }),
  )
}

export function itemOf(
  row: ItemRow,
  role: Role,
  standing: Standing | null,
  content: CurrentContent | null,
): ProposalItem {
  const sum = (of: 'additions' | 'deletions') => row.changes.reduce((total, change) => total + change[of], 0)
  return {
    id: row.proposal_id,
    proposal_id: row.proposal_id,
    inbox_entry_id: row.inbox_entry_id,
    status: row.status,
    summary: row.summary,
    action: row.action,
    target: { type: row.target_type, path: row.target_path },
    source: {
      type: row.source_type,
      identity: row.source_identity,
      run_id: row.run_id,
      agent_version: row.agent_version,
      tainted: row.tainted,
    },
    agent: row.agent_slug,
    run_id: row.run_id,
    priority: row.priority,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    expires_at: iso(row.expires_at),
    decided_by: row.decided_by,
    decided_at: isoOrNull(row.decided_at),
    apply_not_before: isoOrNull(row.apply_not_before),
    git_commit: row.git_commit,
    error_code: row.error?.code ?? null,
    files: row.changes.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    archived: row.archived_at !== null,
    archived_at: isoOrNull(row.archived_at),
    seen_at: isoOrNull(row.seen_at),
    seen: row.seen_at !== null,
    seen_again: row.seen_again,
    risk: row.status === UNDECIDED ? riskView(row.risk) : null,
    snoozed_until: isoOrNull(row.snoozed_until),
    awaiting_changes_since: row.status === UNDECIDED ? isoOrNull(row.awaiting_changes_since) : null,
    freshness: standing && content ? freshnessView(content.head, standing, row.changes) : null,
    commands: commandsFor(role, {
      status: row.status,
      archived: row.archived_at !== null,
      snoozed: row.snoozed_until !== null,
      errorCode: row.error?.code ?? null,
      inConflict: standing !== null && isInConflict(standing),
      isEditable: isEditable(row.target_type, row.changes),
      awaitsChanges: row.awaiting_changes_since !== null,
      hasAgent: row.agent_slug !== null,
    }),
  }
}
