import { raw } from 'sql-template-tag'
import { APPLY_ERROR_CODES, type ApplyErrorCode, type ProposalItem } from '#contracts/proposal.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { type ProposalState, proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { commandsFor } from '#domain/proposal/proposal-commands.rules.ts'
import { isInConflict, type Standing } from '#domain/proposal/standing.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type CurrentContent, currentContent, freshnessView, standingAgainst } from './current-content.ts'
import type { ProposalRow } from './proposal-row.ts'

/** What a list needs of a row; the texts of its changes stay in the ledger. */
export const ITEM_COLUMNS =
  raw(`p.proposal_id, p.status, p.summary, p.action, p.target_type, p.target_path, p.source_type, p.source_identity,
  p.tainted, p.agent_slug, p.run_id, p.priority, p.created_at, p.updated_at, p.expires_at, p.decided_by, p.decided_at, p.apply_not_before,
  p.git_commit, p.error, p.archived_at, p.seen_at, p.seen_again,
  (SELECT jsonb_agg(c - 'unified' - 'text' ORDER BY n) FROM jsonb_array_elements(p.changes) WITH ORDINALITY AS e(c, n)) AS changes`)

export type ItemRow = Pick<
  ProposalRow,
  | 'proposal_id'
  | 'status'
  | 'summary'
  | 'action'
  | 'target_type'
  | 'target_path'
  | 'source_type'
  | 'source_identity'
  | 'tainted'
  | 'agent_slug'
  | 'run_id'
  | 'priority'
  | 'created_at'
  | 'updated_at'
  | 'expires_at'
  | 'decided_by'
  | 'decided_at'
  | 'apply_not_before'
  | 'git_commit'
  | 'error'
  | 'archived_at'
  | 'seen_at'
  | 'seen_again'
  | 'changes'
>

/** True while a decision or its application still depends on the garden as it is now. */
export const isOpen = (status: ProposalState): boolean =>
  can(proposalMachine, status, 'reject') || can(proposalMachine, status, 'take')

export const iso = (at: Date): string => at.toISOString()
const isoOrNull = (at: Date | null): string | null => at?.toISOString() ?? null
const errorCode = (row: ItemRow): ApplyErrorCode | null =>
  APPLY_ERROR_CODES.find((code) => code === row.error?.code) ?? null

/** Rows as a reader of this role sees them, with how the open ones stand against the garden. */
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
    proposal_id: row.proposal_id,
    status: row.status,
    summary: row.summary,
    action: row.action,
    target: { type: row.target_type, path: row.target_path },
    source: { type: row.source_type, identity: row.source_identity, tainted: row.tainted },
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
    error_code: errorCode(row),
    files: row.changes.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    archived: row.archived_at !== null,
    seen: row.seen_at !== null,
    seen_again: row.seen_again,
    freshness: standing && content ? freshnessView(content.head, standing, row.changes) : null,
    commands: commandsFor(role, {
      status: row.status,
      archived: row.archived_at !== null,
      errorCode: row.error?.code ?? null,
      inConflict: standing !== null && isInConflict(standing),
    }),
  }
}
