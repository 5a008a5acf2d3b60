import type { SavedView } from '#contracts/saved-view.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { ViewList } from '#domain/view/saved-view.rules.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    saved_view: { list: ViewList; filters: Record<string, string> }
  }
}

export type ViewRow = Row<'saved_view', 'view_id' | 'list' | 'name' | 'filters'>

/** The views of the caller's account, by list and name; none for one without an account. */
export async function listViews({ reads }: Pick<Services, 'reads'>, caller: Caller): Promise<SavedView[]> {
  if (!caller.accountId) return []
  const rows = await reads.savedView.findMany({
    where: { account_id: caller.accountId },
    orderBy: [{ list: 'asc' }, { name: 'asc' }],
    select: { view_id: true, list: true, name: true, filters: true },
  })
  return rows as ViewRow[]
}
