import type { InboxEntryDetail } from '#contracts/inbox.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { rowOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { DETAIL_SELECT, entryDetail } from './entry-view.ts'

/** One entry by its id, with its payload. */
export async function getEntry(
  { reads }: Pick<Services, 'reads'>,
  inbox_id: string,
): Promise<Result<InboxEntryDetail>> {
  const row = await reads.inboxEntry.findUnique({ where: { inbox_id }, select: DETAIL_SELECT })
  return row
    ? ok(entryDetail(rowOf('inbox_entry', row)))
    : refuse({ code: 'NOT_FOUND', message: 'There is no such entry.' })
}
