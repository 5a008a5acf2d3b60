import type { InboxEntryView } from '#contracts/inbox.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { rowOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { ENTRY_SELECT, entryView } from './entry-view.ts'

/** One entry by its id. */
export async function getEntry(
  { reads }: Pick<Services, 'reads'>,
  inbox_id: string,
): Promise<Result<InboxEntryView>> {
  const row = await reads.inboxEntry.findUnique({ where: { inbox_id }, select: ENTRY_SELECT })
  return row
    ? ok(entryView(rowOf('inbox_entry', row)))
    : refuse({ code: 'NOT_FOUND', message: 'There is no such entry.' })
}
