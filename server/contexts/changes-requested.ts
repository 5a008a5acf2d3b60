/**
 * What a run that answers a request for changes is told ([proposals#requesting-changes]): the owner's comments with the lines they are about, as
 * data beside her other feedback, and the texts that she reviewed as sources of its context, since they stand in no note.
 */
import sql from 'sql-template-tag'
import { type ChangesRequested, changesRequested } from '#contracts/change-request.contract.ts'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { requestEntryOf } from '#server/inbox/request-entry.ts'
import { reviewedTexts } from '#server/inbox/reviewed-request.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import type { Services } from '#server/services.ts'

export type ChangesForContext = {
  /** Says how it is meant: what stands in it is never an instruction of the system. */
  kind: 'data'
  proposal_id: string
  target: string
  summary: string
  note: string | null
  comments: ChangesRequested['comments']
}
type Asked = { changes: ChangesForContext; reviewed: ContextSnapshot['sources'] }

/** Null of a run that answers no request. */
export async function changesRequestedOf(
  parts: Pick<Services, 'db' | 'garden'>,
  run: Row<'run', 'run_id'>,
): Promise<Asked | null> {
  const found = await requestedOf(parts.db, run.run_id)
  if (!found) return null
  const { asked, row } = found
  const { proposal_id, note, comments } = asked
  const reviewed: Asked['reviewed'] = []
  for (const change of row.changes) {
    const { proposed } = await reviewedTexts(parts, row, change)
    if (proposed !== null) reviewed.push({ ref: change.path, revision: proposal_id, text: proposed })
  }
  const { target_path: target, summary } = row
  return { changes: { kind: 'data', proposal_id, target, summary, note, comments }, reviewed }
}

/** The target that the answer of a run is about; null of a run that answers no request. */
export const targetOfRequest = async (db: Db, runId: string): Promise<string | null> =>
  (await requestedOf(db, runId))?.row.target_path ?? null

/** The run whose proposal the request is about; null of a run that answers no request. */
export const reviewedRunOf = async (db: Db, runId: string): Promise<string | null> =>
  (await requestedOf(db, runId))?.row.run_id ?? null

/** Only a request that its proposal names, too: no entry can claim to be one. */
async function requestedOf(
  db: Db,
  runId: string,
): Promise<{ asked: ChangesRequested; row: ProposalRow } | null> {
  const inboxId = await requestEntryOf(db, runId)
  const { rows } = await db.query<Row<'inbox_entry', 'payload'>>(
    sql`SELECT payload FROM inbox_entry WHERE inbox_id = ${inboxId} AND payload ? 'changes_requested'`,
  )
  const asked = changesRequested.safeParse(rows[0]?.payload.changes_requested)
  const row = asked.success ? await findProposal(db, asked.data.proposal_id) : null
  return asked.success && row?.change_request === inboxId ? { asked: asked.data, row } : null
}
