/**
 * Which request for changes a run works on ([proposals#requesting-changes]): that of the entry it was requested by, and of a replay that of the run
 * which all of it goes back to ([runs#reruns]). So a replay of a run that answers a request answers it, too.
 */
import sql from 'sql-template-tag'
import { type ChangesRequested, changesRequested } from '#contracts/change-request.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'

/** The entry that asks this run for changes, with what it says; null of a run that works on no such request. */
export async function changesAskedOf(
  db: Db,
  runId: string | null,
): Promise<Row<'inbox_entry', 'inbox_id' | 'payload'> | null> {
  if (runId === null) return null
  const { rows } = await db.query<Row<'inbox_entry', 'inbox_id' | 'payload'>>(sql`WITH RECURSIVE line AS (
      SELECT run_id, replay_of, inbox_entry_id FROM run WHERE run_id = ${runId}
      UNION ALL SELECT r.run_id, r.replay_of, r.inbox_entry_id FROM run r JOIN line l ON r.run_id = l.replay_of)
    SELECT e.inbox_id, e.payload FROM line l JOIN inbox_entry e ON e.inbox_id = l.inbox_entry_id
    WHERE l.replay_of IS NULL AND e.payload ? 'changes_requested'`)
  return rows[0] ?? null
}

export type ReviewedRequest = { asked: ChangesRequested; row: ProposalRow }

/** What was asked, and the proposal that was reviewed. Only a request that its proposal names, too: no entry can claim to be one. */
export async function reviewedBy(db: Db, runId: string): Promise<ReviewedRequest | null> {
  const entry = await changesAskedOf(db, runId)
  const asked = changesRequested.safeParse(entry?.payload.changes_requested)
  const row = asked.success ? await findProposal(db, asked.data.proposal_id) : null
  return asked.success && row?.change_request === entry?.inbox_id
    ? { asked: asked.data, row: row as ProposalRow }
    : null
}
