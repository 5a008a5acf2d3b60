import type { GuestProposalView, ProposalFilter } from '#contracts/proposal.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { type Row, rowOf, rowsOf, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { PROPOSAL_ORDERS, proposalRows } from './list-proposals.query.ts'
import { type ItemRow, iso } from './proposal-view.ts'
import { proposalInScope } from './proposals-in-scope.ts'
import { notFound } from './transition-proposal.ts'

type Parts = Pick<Services, 'db' | 'garden' | 'reads'>

const BATCH = 100
/** How far one page searches for proposals of the zone before it returns what it has, with a cursor to continue from. */
const MAX_BATCHES = 10

/** The proposals all of whose paths lie in the zone ([zones#what-a-guest-sees]), newest first; filtered before they are cut into pages. */
export async function listZoneProposals(
  parts: Parts,
  scope: ZoneScope,
  { cursor, limit }: Pick<ProposalFilter, 'cursor' | 'limit'>,
): Promise<{ items: GuestProposalView[]; next_cursor: string | null }> {
  const found: ItemRow[] = []
  let after = cursor
  const until = performance.now() + PATIENCE_MS
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const filter = { sort: 'newest' as const, limit: BATCH, ...(after ? { cursor: after } : {}) }
    const { rows, next_cursor } = await proposalRows(parts, filter)
    for (const row of rows) {
      if (await proposalInScope(parts, scope, row, until)) found.push(row)
      if (found.length === limit)
        return { items: await views(parts, found), next_cursor: PROPOSAL_ORDERS.newest.cursorOf(row) }
    }
    after = next_cursor ?? undefined
    if (!next_cursor) return { items: await views(parts, found), next_cursor: null }
  }
  return { items: await views(parts, found), next_cursor: after ?? null }
}

/** One proposal of the zone; what lies outside is 404, as if it did not exist. */
export async function getZoneProposal(
  parts: Parts,
  scope: ZoneScope,
  id: string,
): Promise<Result<GuestProposalView>> {
  const found = await parts.reads.proposal.findUnique({ where: { proposal_id: id }, select: GUEST_SELECT })
  const row = found && rowOf('proposal', found)
  return row && (await proposalInScope(parts, scope, row)) ? ok(guestView(row)) : notFound()
}

const GUEST_NAMES = [
  'proposal_id',
  'status',
  'summary',
  'created_at',
  'updated_at',
  'expires_at',
  'changes',
  'base_revision',
  'git_commit',
] as const
const GUEST_SELECT = selected(GUEST_NAMES)
type GuestRow = Row<'proposal', (typeof GUEST_NAMES)[number]>

/** The views of these rows, in their order, with the texts of their changes. */
async function views({ reads }: Parts, items: readonly ItemRow[]): Promise<GuestProposalView[]> {
  const ids = items.map((item) => item.proposal_id)
  const rows = await reads.proposal.findMany({ select: GUEST_SELECT, where: { proposal_id: { in: ids } } })
  const found = new Map(rowsOf('proposal', rows).map((row) => [row.proposal_id, guestView(row)]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

const guestView = (row: GuestRow): GuestProposalView => ({
  id: row.proposal_id,
  proposal_id: row.proposal_id,
  status: row.status,
  summary: row.summary,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  expires_at: iso(row.expires_at),
  changes: row.changes.map(({ path, type, unified }) => ({ path, type, unified })),
})
