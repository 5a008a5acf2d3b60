/** SQL, not Prisma: the payload stays in the ledger. */
import sql from 'sql-template-tag'
import type { InboxEntryView } from '#contracts/inbox.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { ENTRY_VIEW_COLUMNS, type EntryViewRow, entryView } from './entry-view.ts'

/** One entry by its id. */
export async function getEntry({ db }: Pick<Services, 'db'>, id: string): Promise<Result<InboxEntryView>> {
  const { rows } = await db.query<EntryViewRow>(
    sql`SELECT ${ENTRY_VIEW_COLUMNS} FROM inbox_entry e WHERE e.inbox_id = ${id}`,
  )
  return rows[0] ? ok(entryView(rows[0])) : refuse({ code: 'NOT_FOUND', message: 'There is no such entry.' })
}
