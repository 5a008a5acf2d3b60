import sql, { raw, type Sql } from 'sql-template-tag'
import type { InboxAction } from '#contracts/inbox.contract.ts'
import type { ApplyErrorCode } from '#contracts/proposal.contract.ts'
import type { Citation } from '#contracts/proposal-body.contract.ts'
import type { TraceEntry } from '#domain/approval-rule/evaluate.rules.ts'
import type { AppendPosition, Diff } from '#domain/proposal/conflict.rules.ts'
import type { ReasonCode } from '#domain/proposal/decision.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Risk } from '#domain/proposal/risk.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'

/**
 * A change in its normal form ([proposals#changes]): however it was proposed, it holds the unified diff against its base and the hashes
 * of the bytes before and after. `text` is kept for append and create.
 */
export type StoredChange = {
  path: string
  type: Diff['type']
  position?: AppendPosition
  text?: string
  /** The change is one of tags, and commutes as such. */
  tags?: { add: string[]; remove: string[]; stamp?: { by: string; at: string; proposal_id: string } }
  unified: string
  base_hash: string
  result_hash: string
  additions: number
  deletions: number
}

export type Relations = {
  resubmitted_from?: string
  resubmitted_as?: string
  reverts?: string
  reverted_by?: string
  edited_from?: string
  rebased_from?: string
  /** What took its place ([proposals#P16]). */
  superseded_by?: string
  /** The agent's answer to what was asked of this one, which was decided otherwise before ([proposals#requesting-changes]). */
  answered_by?: string
  /** The proposal whose changes were asked for; this one answers the request. */
  supersedes?: string
  remainder_of?: string
  /** The proposal of what an edited approval left out. */
  remainder_as?: string
}

/** What a proposal says of those before it; what was made of it later is told by its history. */
export const madeFrom = ({
  resubmitted_as: _resubmitted,
  reverted_by: _reverted,
  superseded_by: _superseded,
  answered_by: _answered,
  remainder_as: _remainder,
  ...before
}: Relations) => before

export type ApplyError = { code: ApplyErrorCode; message: string; current_hash?: string }

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    proposal: {
      action: InboxAction
      changes: StoredChange[]
      citations: Citation[]
      entity_refs: string[]
      priority: 'normal' | 'high'
      relations: Relations
      rule_trace: TraceEntry[]
      applied_paths: string[]
      reason_code: ReasonCode | null
      decision_mode: 'manual' | 'rule' | null
      error: ApplyError | null
      risk: Risk | null
    }
  }
}

export type ProposalRow = Row<'proposal'>

const PENDING = state(proposalMachine, 'PENDING')
/** The proposal of this alias waits for a decision now: it is not snoozed, and no changes are awaited. */
export const waitsForDecision = (alias: 'o' | 'p'): Sql =>
  sql`${raw(alias)}.status = ${PENDING} AND ${raw(alias)}.snoozed_until IS NULL AND ${raw(alias)}.awaiting_changes_since IS NULL`

/** The change as `applyDiff` takes it. */
export function diffOf(change: StoredChange): Diff {
  if (change.type === 'append')
    return { type: 'append', position: change.position ?? 'end', text: change.text ?? '' }
  if (change.type === 'create') return { type: 'create', text: change.text ?? '' }
  if (change.type === 'delete') return { type: 'delete' }
  return { type: 'replace', unified: change.unified }
}

/** The change as the rules of conflict take it. */
export const changeBase = (change: StoredChange) => ({
  diff: {
    type: change.type,
    ...(change.position === undefined ? {} : { position: change.position }),
    ...(change.tags ? { tags: true } : {}),
  },
  baseHash: change.base_hash,
})

type FoundProposal = ProposalRow & { overdue: boolean }

/** One proposal, and whether it is overdue by the database clock; null when there is none. */
export async function findProposal(db: Db, id: string): Promise<FoundProposal | null> {
  const { rows } = await db.query<FoundProposal>(
    sql`SELECT p.*, p.expires_at <= clock_timestamp() AS overdue FROM proposal p WHERE p.proposal_id = ${id}`,
  )
  return rows[0] ?? null
}
