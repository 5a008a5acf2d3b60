import sql from 'sql-template-tag'
import type { HistoryEntry } from '#contracts/proposal.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { findProposal } from './proposal-row.ts'
import { notFound } from './transition.ts'

const MAX_LINES = 500
const NAMES = [
  'event_id',
  'ts',
  'name',
  'transition',
  'actor',
  'from_status',
  'to_status',
  'reason',
  'outcome',
  'error_code',
  'details',
] as const

/** Everything that happened to a proposal, refusals included, oldest first (at most 500 lines). */
export async function proposalHistory(
  { db }: Pick<Services, 'db'>,
  id: string,
): Promise<Result<HistoryEntry[]>> {
  if (!(await findProposal(db, id))) return notFound()
  const { rows } = await db.query<
    Row<'event', (typeof NAMES)[number]>
  >(sql`SELECT ${columns('event', 'e', NAMES)} FROM event e
    WHERE e.resource_type = 'proposal' AND e.resource_id = ${id} ORDER BY e.id LIMIT ${MAX_LINES}`)
  return ok(
    rows.map(({ ts, name, from_status, to_status, ...line }) => ({
      ...line,
      at: ts.toISOString(),
      event: name,
      from: from_status,
      to: to_status,
    })),
  )
}
