import sql, { type Sql } from 'sql-template-tag'
import type { ProposalFilter, ProposalItem, ProposalPage } from '#contracts/proposal.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { type ProposalState, proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { type Keyset, keyset, patternOf, startsWith } from '#server/ledger/list.ts'
import { type Listing, listPage, type TextSearch } from '#server/ledger/list-page.ts'
import { columns, rowsOf } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { waitsForDecision } from './proposal-row.ts'
import { changesOf, ITEM_NAMES, ITEM_SELECT, type ItemRow, itemsOf } from './proposal-view.ts'

type Parts = Pick<Services, 'db' | 'garden' | 'reads'>

/** Each order runs along an index. */
export const PROPOSAL_ORDERS = {
  newest: keyset('proposal', 'newest', { created_at: 'time', proposal_id: 'text' }, 'desc'),
  oldest: keyset('proposal', 'oldest', { created_at: 'time', proposal_id: 'text' }, 'asc'),
  // Conflict-free and expiring first ([proposals#review-order]); then 'high', which sorts before 'normal'; then by risk; then the oldest.
  to_decide: keyset(
    'proposal',
    'to_decide',
    {
      review_class: 'number',
      priority: 'text',
      risk_rank: 'number',
      created_at: 'time',
      proposal_id: 'text',
    },
    'asc',
  ),
  snoozed: keyset('proposal', 'snoozed', { snoozed_until: 'time', proposal_id: 'text' }, 'asc'),
  awaiting_changes: keyset(
    'proposal',
    'awaiting_changes',
    { awaiting_changes_since: 'time', proposal_id: 'text' },
    'asc',
  ),
} as const
type Order = Pick<
  Keyset<
    | 'created_at'
    | 'review_class'
    | 'priority'
    | 'risk_rank'
    | 'snoozed_until'
    | 'awaiting_changes_since'
    | 'proposal_id'
  >,
  'after' | 'order' | 'page'
>

const IN_PENDING = state(proposalMachine, 'PENDING')

/** Rows of one page and the cursor of the next; for lists, and for the zone's view of them. */
export async function proposalRows(
  { db }: Pick<Services, 'db'>,
  f: ProposalFilter,
): Promise<{ rows: ItemRow[]; next_cursor: string | null }> {
  const order: Order = PROPOSAL_ORDERS[f.sort]
  const found = await listPage<Omit<ItemRow, 'changes'>>(db, proposalListing(f), f.limit)
  const page = order.page(found, f.limit)
  return { rows: await withChanges(db, page.rows), next_cursor: page.next_cursor }
}

export function proposalListing(f: ProposalFilter): Listing {
  const order: Order = PROPOSAL_ORDERS[f.sort]
  return {
    columns: columns('proposal', 'o', ITEM_NAMES),
    from: sql`proposal o`,
    where: [...filterOf(f), order.after('o', f.cursor)],
    order: order.order('o'),
    search: f.q ? searchOf(f.q) : null,
  }
}

async function withChanges(db: Parts['db'], rows: readonly Omit<ItemRow, 'changes'>[]): Promise<ItemRow[]> {
  const changes = await changesOf(
    db,
    rows.map((row) => row.proposal_id),
  )
  return rows.map((row) => ({ ...row, changes: changes.get(row.proposal_id) ?? [] }))
}

/** The proposals of these ids, in their order. */
export async function proposalsById(
  { db, reads, garden }: Parts,
  ids: readonly string[],
  role: Role,
): Promise<ProposalItem[]> {
  if (ids.length === 0) return []
  const found = await reads.proposal.findMany({
    select: ITEM_SELECT,
    where: { proposal_id: { in: [...ids] } },
  })
  const items = await itemsOf(garden, await withChanges(db, rowsOf('proposal', found)), role)
  return items.toSorted((a, b) => ids.indexOf(a.proposal_id) - ids.indexOf(b.proposal_id))
}

const filterOf = (f: ProposalFilter): Sql[] => [
  // The partial indexes of pending proposals serve these orders.
  ...SORTED_STATES[f.sort],
  ...inStates(f.status),
  ...(f.agent ? [sql`o.agent_slug = ${f.agent}`] : []),
  ...(f.action ? [sql`o.action = ${f.action}`] : []),
  ...(f.target ? [startsWith(sql`o.target_path`, f.target)] : []),
  ...(f.source ? [sql`o.source_identity = ${f.source}`] : []),
  ...(f.run ? [sql`o.run_id = ${f.run}`] : []),
  f.archived ? sql`o.archived_at IS NOT NULL` : sql`o.archived_at IS NULL`,
]

/** As a constant: the planner takes `status IN ('PENDING')` beside `status = 'PENDING'` for one condition, and an array for a second one, which few rows would meet. */
function inStates([first, ...others]: readonly ProposalState[] = []): Sql[] {
  return first ? [sql`o.status IN ${states(proposalMachine, first, ...others)}`] : []
}

const IS_PENDING = sql`o.status = ${IN_PENDING}`
const SORTED_STATES: Record<ProposalFilter['sort'], Sql[]> = {
  newest: [],
  oldest: [],
  to_decide: [waitsForDecision('o')],
  snoozed: [IS_PENDING, sql`o.snoozed_until IS NOT NULL`],
  awaiting_changes: [IS_PENDING, sql`o.awaiting_changes_since IS NOT NULL`],
}

/** A part of the summary or of the path, along `proposal_words`, or the whole id. */
function searchOf(text: string): TextSearch {
  const has = (pattern: Sql) => sql`(o.summary ILIKE ${pattern} OR o.target_path ILIKE ${pattern})`
  const named = sql`o.proposal_id = ${text}`
  return {
    words: text.split(/\s+/),
    has,
    holds: sql`(${has(sql`${patternOf(text)}`)} OR ${named})`,
    indexed: (word) => (word === null ? null : [has(sql`${patternOf(word)}`), named]),
  }
}

/** `GET /proposals`, by keyset at any depth. */
export async function listProposals(parts: Parts, filter: ProposalFilter, role: Role): Promise<ProposalPage> {
  const { rows, next_cursor } = await proposalRows(parts, filter)
  return { items: await itemsOf(parts.garden, rows, role), next_cursor }
}
