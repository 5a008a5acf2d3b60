/** SQL, not Prisma: the texts inside JSON stay in the ledger, and guests read through their own role. */
import sql, { type Sql } from 'sql-template-tag'
import type { ProposalCounts, ProposalFilter, ProposalPage } from '#contracts/proposal.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { type Keyset, keyset, like, whereAll } from '#server/ledger/list.ts'
import { state, states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { currentContent, standingAgainst } from './current-content.ts'
import { ITEM_COLUMNS, type ItemRow, itemsOf } from './proposal-view.ts'

/** Each order runs along an index. */
export const PROPOSAL_ORDERS = {
  newest: keyset('proposal', 'newest', { created_at: 'time', proposal_id: 'text' }, 'desc'),
  oldest: keyset('proposal', 'oldest', { created_at: 'time', proposal_id: 'text' }, 'asc'),
  // 'high' sorts before 'normal'; then what expires first.
  to_decide: keyset(
    'proposal',
    'to_decide',
    { priority: 'text', expires_at: 'time', proposal_id: 'text' },
    'asc',
  ),
} as const
type Order = Pick<
  Keyset<'created_at' | 'expires_at' | 'priority' | 'proposal_id'>,
  'order' | 'after' | 'page'
>

const PENDING = state(proposalMachine, 'PENDING')

/** Rows of one page and the cursor of the next; for lists, and for the zone's view of them. */
export async function proposalRows(
  db: Db,
  f: ProposalFilter,
): Promise<{ rows: ItemRow[]; next_cursor: string | null }> {
  const order: Order = PROPOSAL_ORDERS[f.sort]
  const text = f.q ? `%${like(f.q)}%` : null
  const where = whereAll(
    // The partial index of pending proposals serves this order.
    f.sort === 'to_decide' && sql`p.status = ${PENDING}`,
    f.status && f.status.length > 0 && sql`p.status IN ${inStates(f.status)}`,
    f.agent ? sql`p.agent_slug = ${f.agent}` : null,
    f.action ? sql`p.action = ${f.action}` : null,
    f.target ? sql`starts_with(p.target_path, ${f.target})` : null,
    f.source ? sql`p.source_identity = ${f.source}` : null,
    f.run ? sql`p.run_id = ${f.run}` : null,
    f.archived ? sql`p.archived_at IS NOT NULL` : sql`p.archived_at IS NULL`,
    text !== null && sql`(p.summary ILIKE ${text} OR p.target_path ILIKE ${text} OR p.proposal_id = ${f.q})`,
    order.after('p', f.cursor),
  )
  // The page is cut first: only its rows have their changes opened.
  const { rows } = await db.query<ItemRow>(sql`SELECT ${ITEM_COLUMNS} FROM (
      SELECT p.* FROM proposal p ${where} ORDER BY ${order.order('p')} LIMIT ${f.limit + 1}) p ORDER BY ${order.order('p')}`)
  return order.page(rows, f.limit)
}

type Statuses = NonNullable<ProposalFilter['status']>
const inStates = ([first, ...more]: Statuses): Sql =>
  states(proposalMachine, first as Statuses[number], ...more)

/** `GET /proposals`, by keyset at any depth. */
export async function listProposals(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  filter: ProposalFilter,
  role: Role,
): Promise<ProposalPage> {
  const { rows, next_cursor } = await proposalRows(db, filter)
  return { items: await itemsOf(garden, rows, role), next_cursor }
}

/** Conflicts are counted over this many pending proposals; beyond it the number is "at least". */
const MAX_CHECKED = 500

/** Badges of the review queue: exact counts, conflicts exact up to 500 pending proposals. */
export async function countProposals({
  db,
  garden,
}: Pick<Services, 'db' | 'garden'>): Promise<ProposalCounts> {
  const pending = await db.query<
    Pick<ProposalCounts, 'waiting' | 'expiring_today' | 'high_priority' | 'unseen'>
  >(
    sql`SELECT count(*) AS waiting,
      count(*) FILTER (WHERE expires_at <= clock_timestamp() + interval '24 hours') AS expiring_today,
      count(*) FILTER (WHERE priority = 'high') AS high_priority,
      count(*) FILTER (WHERE seen_at IS NULL) AS unseen
    FROM proposal WHERE status = ${PENDING} AND archived_at IS NULL`,
  )
  const decided = await db.query<Pick<ProposalCounts, 'applying' | 'failed'>>(sql`SELECT
      count(*) FILTER (WHERE status <> ${state(proposalMachine, 'FAILED')}) AS applying,
      count(*) FILTER (WHERE status = ${state(proposalMachine, 'FAILED')}) AS failed
    FROM proposal WHERE status IN ${states(proposalMachine, 'APPROVED', 'AUTO_APPROVED', 'APPLYING', 'FAILED')}`)
  const counts = pending.rows[0] ?? { waiting: 0, expiring_today: 0, high_priority: 0, unseen: 0 }
  const in_conflict = { count: await countConflicts(db, garden), exact: counts.waiting <= MAX_CHECKED }
  return { ...counts, ...(decided.rows[0] ?? { applying: 0, failed: 0 }), in_conflict }
}

async function countConflicts(db: Db, garden: Services['garden']): Promise<number> {
  const { order } = PROPOSAL_ORDERS.to_decide
  const { rows } = await db.query<
    Pick<ItemRow, 'changes'>
  >(sql`SELECT ${ITEM_COLUMNS} FROM (SELECT p.* FROM proposal p
    WHERE p.status = ${PENDING} AND p.archived_at IS NULL ORDER BY ${order('p')} LIMIT ${MAX_CHECKED}) p`)
  if (rows.length === 0) return 0
  const content = await currentContent(garden)
  const standings = await Promise.all(rows.map((row) => standingAgainst(content, row.changes)))
  return standings.filter(isInConflict).length
}
