import sql from 'sql-template-tag'
import type { RetentionPreview } from '#contracts/system.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { removable } from './removable.ts'

/** The oldest that a dry run names. */
const LISTED = 100

export type Measured = { artifacts: number; bytes: number; oldest_at: Date | null }

/** How much would go if artifacts were kept for so many days. */
export async function measureRetention(db: Db, days: number, now: Date): Promise<Measured> {
  const { rows } =
    await db.query<Measured>(sql`${removable(days, now)} SELECT count(*) AS artifacts, coalesce(sum(bytes), 0)::bigint AS bytes,
    min(created_at) AS oldest_at FROM removable`)
  return rows[0] as Measured
}

type Listed = Row<'artifact', 'artifact_id' | 'title' | 'agent_slug' | 'bytes' | 'created_at'>

/** A dry run: what would go, the oldest first. It removes nothing, and is recorded. */
export async function previewRetention(
  { db }: Pick<Services, 'db'>,
  { days }: { days: number },
  caller: Caller,
): Promise<RetentionPreview> {
  const now = await ledgerNow(db)
  const { artifacts, bytes, oldest_at } = await measureRetention(db, days, now)
  const { rows } =
    await db.query<Listed>(sql`${removable(days, now)} SELECT artifact_id, title, agent_slug, bytes, created_at FROM removable
    ORDER BY created_at, artifact_id LIMIT ${LISTED}`)
  await recordEvent(db, {
    name: 'retention.previewed',
    actor: caller,
    resource: { type: 'storage', id: 'artifacts' },
    details: { days, artifacts, bytes },
  })
  const items = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
  return { days, artifacts, bytes, oldest_at: oldest_at?.toISOString() ?? null, items }
}
