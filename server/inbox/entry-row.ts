import sql from 'sql-template-tag'
import type { InboxAction, SubmitAnswer } from '#contracts/inbox.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    inbox_entry: {
      action: InboxAction
      payload: Record<string, unknown>
      priority: 'normal' | 'high'
      resolution_kind: 'proposal' | 'run' | 'job' | null
    }
  }
}

export type EntryRow = Row<'inbox_entry'>

/** The entry that this identity submitted under this correlation id. */
export async function findRepeat(db: Db, identity: string, correlationId: string): Promise<EntryRow | null> {
  const { rows } = await db.query<EntryRow>(
    prepared(
      sql`SELECT * FROM inbox_entry WHERE source_identity = ${identity} AND correlation_id = ${correlationId}`,
    ),
  )
  return rows[0] ?? null
}

export const resolutionOf = (row: Row<'inbox_entry', 'resolution_kind' | 'resolution_id'>) =>
  row.resolution_kind && row.resolution_id ? { kind: row.resolution_kind, id: row.resolution_id } : null

export const answerOf = (row: EntryRow, repeated: boolean): SubmitAnswer => ({
  inbox_id: row.inbox_id,
  status: row.status,
  resolution: resolutionOf(row),
  correlation_id: row.correlation_id,
  repeated,
})
