/**
 * Bringing the garden's branch back to the last commit that the ledger knows ([apply#a-branch-that-lost-commits]).
 *
 * By itself it only adds: to a branch that is missing, or that stands on an older commit of the same history. A branch with commits
 * of its own was changed by somebody, and leaves them only when that is said to be meant; git keeps them as objects. What was done
 * is an event of the ledger, recorded before the branch moves: a repair that is cut off is repeated.
 */
import sql from 'sql-template-tag'
import { APPLY_ENGINE } from '#domain/authority/caller.ts'
import {
  type BranchState,
  inspectBranch,
  restoreBranch,
} from '#server/adapters/git-repository/restore-branch.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'

export type Repair = {
  outcome: 'unknown' | 'gone' | 'in_order' | 'diverged' | 'moved' | 'restored'
  wanted: string | null
  state: BranchState | null
}

/** The commit of the proposal that was applied last; before the first one, the revision that the newest proposal was made on. */
export async function lastKnownCommit(db: Db): Promise<string | null> {
  const { rows: applied } = await db.query<Row<'proposal', 'git_commit'>>(sql`SELECT p.git_commit FROM event e
    JOIN proposal p ON p.proposal_id = e.resource_id
    WHERE e.name = 'proposal.applied' AND p.git_commit IS NOT NULL ORDER BY e.id DESC LIMIT 1`)
  if (applied[0]) return applied[0].git_commit
  const { rows: made } = await db.query<Row<'proposal', 'base_revision'>>(
    sql`SELECT p.base_revision FROM proposal p ORDER BY p.created_at DESC, p.proposal_id DESC LIMIT 1`,
  )
  return made[0]?.base_revision ?? null
}

/** Looks, and restores the branch where that loses nothing, or where `discard` says that it may. */
export async function repairGarden(
  { db, gitdir }: { db: Db; gitdir: string },
  { discard }: { discard: boolean },
): Promise<Repair> {
  const wanted = await lastKnownCommit(db)
  if (wanted === null) return { outcome: 'unknown', wanted, state: null }
  const state = await inspectBranch(gitdir, wanted)
  const { relation, isWhole } = state
  if (relation === 'contains') return { outcome: 'in_order', wanted, state }
  if (!isWhole) return { outcome: 'gone', wanted, state }
  if (relation === 'diverged' && !discard) return { outcome: 'diverged', wanted, state }
  const restored = await db.transaction(async (tx) => {
    await recordRepair(tx, state, wanted)
    return await restoreBranch(gitdir, state, wanted)
  })
  return { outcome: restored ? 'restored' : 'moved', wanted, state }
}

const REASONS = {
  missing: 'the branch was missing',
  behind: 'the branch was rewound',
  diverged: 'the branch was replaced',
  contains: 'nothing was missing',
} as const satisfies Record<BranchState['relation'], string>

function recordRepair(db: Db, { head, relation, beyond }: BranchState, wanted: string): Promise<void> {
  return recordEvent(db, {
    name: 'garden.branch_restored',
    actor: APPLY_ENGINE,
    resource: { type: 'component', id: 'git_garden' },
    ...(head ? { from: head } : {}),
    to: wanted,
    reason: REASONS[relation],
    details: { left_out: beyond.slice(0, 50) },
  })
}
