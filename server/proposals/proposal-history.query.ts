import sql from 'sql-template-tag'
import type { HistoryEntry } from '#contracts/proposal.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { findProposal } from './proposal-row.ts'
import { notFound } from './transition.ts'

const MOST = 500

/** Everything that happened to a proposal, refusals included, oldest first (at most 500 lines). */
export async function proposalHistory(
  { db }: Pick<Services, 'db'>,
  id: string,
): Promise<Result<HistoryEntry[]>> {
  if (!(await findProposal(db, id))) return notFound()
  const { rows } = await db.query<
    HistoryEntry & { at_date: Date }
  >(sql`SELECT event_id, ts AS at_date, name AS event, transition, actor,
      from_status AS "from", to_status AS "to", reason, outcome, error_code, details
    FROM event WHERE resource_type = 'proposal' AND resource_id = ${id} ORDER BY id LIMIT ${MOST}`)
  return ok(rows.map(({ at_date, ...line }) => ({ ...line, at: at_date.toISOString() })))
}
