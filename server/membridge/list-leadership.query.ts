/** SQL, not Prisma Client: mirror and nodes of a page of projects in one statement. */
import sql from 'sql-template-tag'
import type { LeadershipList, LeadershipPage } from '#contracts/leadership-console.contract.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import type { Services } from '#server/services.ts'
import { besideProject, type SummaryRow, summaryColumns, summaryOf } from './leadership-summary.ts'

const oldest = keyset('membridge_project', 'leadership', { created_at: 'time', canonical_id: 'text' }, 'asc')

/** The projects, oldest first, each with its leadership as it is remembered: the store is not asked. */
export async function listLeadership(
  { db }: Pick<Services, 'db'>,
  { cursor, limit }: LeadershipList,
): Promise<LeadershipPage> {
  const { rows } = await db.query<SummaryRow & { created_at: Date }>(sql`
    SELECT p.canonical_id, p.name, p.created_at, ${summaryColumns}
    FROM membridge_project p ${besideProject(sql`p.canonical_id`)}
    ${whereAll(oldest.after('p', cursor))}
    ORDER BY ${oldest.order('p')} LIMIT ${limit + 1}`)
  const page = oldest.page(rows, limit)
  return { items: page.rows.map(summaryOf), next_cursor: page.next_cursor }
}
