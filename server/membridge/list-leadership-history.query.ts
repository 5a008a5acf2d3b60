/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import type {
  LeadershipEvent,
  LeadershipHistory,
  LeadershipHistoryRequest,
} from '#contracts/leadership.contract.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { seconds } from './membridge-rows.ts'

const COLUMNS = [
  'id',
  'ts',
  'name',
  'outcome',
  'actor',
  'via',
  'reason',
  'error_code',
  'event_id',
  'details',
] as const
type EventRow = Row<'event', (typeof COLUMNS)[number]>

const newest = keyset('event', 'leadership', { id: 'number' }, 'desc')

/** Selections, refusals, expiries, incidents and grants of a project, newest first, from the audit. */
export async function listLeadershipHistory(
  { db }: Pick<Services, 'db'>,
  { cid, cursor, limit }: LeadershipHistoryRequest,
): Promise<LeadershipHistory> {
  const { rows } = await db.query<EventRow>(sql`SELECT ${columns('event', 'e', COLUMNS)} FROM event e
    ${whereAll(sql`e.resource_type = 'leadership' AND e.resource_id = ${cid}`, newest.after('e', cursor))}
    ORDER BY ${newest.order('e')} LIMIT ${limit + 1}`)
  const page = newest.page(rows, limit)
  return { items: page.rows.map(eventView), next_cursor: page.next_cursor }
}

const eventView = ({ id: _id, ts, ...plain }: EventRow): LeadershipEvent => ({ ...plain, at: seconds(ts) })
