import sql from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { FEEDBACK_LIMIT } from '#domain/run/context-budget.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { states } from '#server/ledger/states.ts'
import { estimateTokens } from '#server/ports/agent-executor.ts'

/**
 * The owner's last rejections of an agent's proposals with her notes, the newest decision first, up to a limit of tokens. An older note never
 * takes the place of a newer one that was too long.
 */
export async function ownerFeedback(db: Db, slug: string): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query(
    sql`SELECT proposal_id, action, target_path AS target, summary, decision_note AS note, reason_code FROM proposal
      WHERE agent_slug = ${slug} AND decision_note IS NOT NULL AND status IN ${states(proposalMachine, 'REJECTED', 'DISCARDED')}
      ORDER BY decided_at DESC NULLS LAST, proposal_id DESC LIMIT ${FEEDBACK_LIMIT.entries}`,
  )
  let tokens = 0
  const end = rows.findIndex((row) => {
    tokens += estimateTokens(JSON.stringify(row))
    return tokens > FEEDBACK_LIMIT.tokens
  })
  return end < 0 ? rows : rows.slice(0, end)
}
