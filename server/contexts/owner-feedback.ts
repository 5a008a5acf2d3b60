import sql from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { FEEDBACK_LIMIT } from '#domain/run/context-budget.rules.ts'
import type { EditFeedback } from '#server/inbox/edit-facts.ts'
import type { Db } from '#server/ledger/database.ts'
import { states } from '#server/ledger/states.ts'
import { estimateTokens } from '#server/ports/agent-executor.ts'

type Decided = {
  proposal_id: string
  action: string
  target: string
  summary: string
  note: string | null
  reason_code: string | null
  edit: EditFeedback | null
}

/**
 * The owner's last words about an agent's proposals, the newest decision first, up to a limit of tokens: rejections with her notes, and of
 * what she approved in part or edited the hunks that she left out and the lines that she wrote. An older note never takes the place of a
 * newer one that was too long. What merely made room for another proposal says nothing.
 */
export async function ownerFeedback(db: Db, slug: string): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Decided>(
    sql`SELECT p.proposal_id, p.action, p.target_path AS target, p.summary, p.decision_note AS note, p.reason_code, e.payload -> 'edit' AS edit
      FROM proposal p LEFT JOIN proposal c ON c.proposal_id = p.relations ->> 'superseded_by'
        LEFT JOIN inbox_entry e ON e.inbox_id = c.inbox_entry_id
      WHERE p.agent_slug = ${slug} AND p.decision_note IS NOT NULL AND p.status IN ${states(proposalMachine, 'REJECTED', 'DISCARDED')}
        AND (c.proposal_id IS NULL OR e.payload ? 'edit')
      ORDER BY p.decided_at DESC NULLS LAST, p.proposal_id DESC LIMIT ${FEEDBACK_LIMIT.entries}`,
  )
  const feedback = rows.flatMap(entryOf)
  let tokens = 0
  const end = feedback.findIndex((row) => {
    tokens += estimateTokens(JSON.stringify(row))
    return tokens > FEEDBACK_LIMIT.tokens
  })
  return end < 0 ? feedback : feedback.slice(0, end)
}

/** Hunks that wait for a decision of their own are no verdict yet. */
function entryOf({ edit, ...row }: Decided): Record<string, unknown>[] {
  if (!edit) return [row]
  const rejects = edit.remainder === 'reject'
  const changes = edit.changes
    .map(({ path, of, left_out, written }) => ({
      path,
      ...(rejects && left_out.length > 0 ? { hunks: of, rejected_hunks: left_out } : {}),
      ...(written === '' ? {} : { edited: written }),
    }))
    .filter((change) => 'rejected_hunks' in change || 'edited' in change)
  return changes.length === 0 ? [] : [{ ...row, decision: 'approved_as_edited', note: edit.note, changes }]
}
