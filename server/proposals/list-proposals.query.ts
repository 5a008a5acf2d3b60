import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { ProposalFilter, ProposalPage } from '#contracts/proposal.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { cursorTime, decodeCursor, encodeCursor } from './keyset.ts'
import { ITEM_COLUMNS, type ItemRow, iso, itemsOf } from './proposal-item.ts'

/** How each sort is ordered and where it continues after its cursor; every one of them runs along an index. */
const SORTS: Record<
  ProposalFilter['sort'],
  { order: Sql; after: (cursor: string) => Sql; cursorOf: (row: ItemRow) => string }
> = {
  newest: {
    order: sql`p.created_at DESC, p.proposal_id DESC`,
    after: (cursor) => {
      const [at, id] = decodeCursor(cursor, 'newest', 2)
      return sql`(p.created_at, p.proposal_id) < (${cursorTime(at)}, ${id})`
    },
    cursorOf: (row) => encodeCursor('newest', [iso(row.created_at), row.proposal_id]),
  },
  oldest: {
    order: sql`p.created_at, p.proposal_id`,
    after: (cursor) => {
      const [at, id] = decodeCursor(cursor, 'oldest', 2)
      return sql`(p.created_at, p.proposal_id) > (${cursorTime(at)}, ${id})`
    },
    cursorOf: (row) => encodeCursor('oldest', [iso(row.created_at), row.proposal_id]),
  },
  to_decide: {
    // 'high' sorts before 'normal'; then what expires first.
    order: sql`p.priority, p.expires_at, p.proposal_id`,
    after: (cursor) => {
      const [priority, at, id] = decodeCursor(cursor, 'to_decide', 3)
      return sql`(p.priority, p.expires_at, p.proposal_id) > (${priority}, ${cursorTime(at)}, ${id})`
    },
    cursorOf: (row) => encodeCursor('to_decide', [row.priority, iso(row.expires_at), row.proposal_id]),
  },
}

const PENDING = proposalMachine.events.create.to
const likeText = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

function conditions(f: Omit<ProposalFilter, 'limit'>): Sql[] {
  const found: Sql[] = []
  // The constant lets the planner see that the partial index of what waits applies.
  if (f.sort === 'to_decide') found.push(sql`p.status = 'PENDING'`)
  const [only] = f.status ?? []
  if (only && f.status?.length === 1 && !(f.sort === 'to_decide' && only === PENDING))
    found.push(sql`p.status = ${only}`)
  else if (f.status && f.status.length > 1) found.push(sql`p.status = ANY(${f.status}::text[])`)
  if (f.agent) found.push(sql`p.agent_slug = ${f.agent}`)
  if (f.action) found.push(sql`p.action = ${f.action}`)
  if (f.target) found.push(sql`starts_with(p.target_path, ${f.target})`)
  if (f.source) found.push(sql`p.source_identity = ${f.source}`)
  if (f.run) found.push(sql`p.run_id = ${f.run}`)
  found.push(f.archived ? sql`p.archived_at IS NOT NULL` : sql`p.archived_at IS NULL`)
  if (f.q)
    found.push(
      sql`(p.summary ILIKE ${likeText(f.q)} OR p.target_path ILIKE ${likeText(f.q)} OR p.proposal_id = ${f.q})`,
    )
  if (f.cursor) found.push(SORTS[f.sort].after(f.cursor))
  return found
}

/** Rows of one page and the cursor of the next; for lists, and for the zone's view of them. */
export async function proposalRows(
  db: Db,
  filter: ProposalFilter,
): Promise<{ rows: ItemRow[]; next: string | null; cursorOf: (row: ItemRow) => string }> {
  const sort = SORTS[filter.sort]
  const all = conditions(filter)
  const where = all.length === 0 ? empty : sql`WHERE ${join(all, ' AND ')}`
  // The page is cut first: only its rows have their changes opened.
  const { rows } = await db.query<ItemRow>(sql`SELECT ${ITEM_COLUMNS} FROM (
      SELECT p.* FROM proposal p ${where} ORDER BY ${sort.order} LIMIT ${filter.limit + 1}) p ORDER BY ${sort.order}`)
  const page = rows.slice(0, filter.limit)
  const last = page.at(-1)
  const next = rows.length > filter.limit && last ? sort.cursorOf(last) : null
  return { rows: page, next, cursorOf: sort.cursorOf }
}

/** `GET /proposals` (contract page 01, section 12), by keyset at any depth. */
export async function listProposals(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  filter: ProposalFilter,
  role: Role,
): Promise<ProposalPage> {
  const { rows, next } = await proposalRows(db, filter)
  return { items: await itemsOf(garden, rows, role), next_cursor: next }
}
