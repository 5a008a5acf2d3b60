import type { ChangesRequested } from '#contracts/change-request.contract.ts'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { reviewedBy } from '#server/inbox/request-entry.ts'
import { reviewedTexts } from '#server/inbox/reviewed-request.ts'
import type { Row } from '#server/ledger/rows.ts'
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
  const found = await reviewedBy(parts.db, run.run_id)
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
