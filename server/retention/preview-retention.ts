import sql from 'sql-template-tag'
import type { RetentionPreview } from '#contracts/system.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { type Db, sqlState } from '#server/ledger/database.ts'
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

type Listed = Row<'artifact', 'artifact_id' | 'title' | 'agent_slug' | 'bytes' | 'created_at'> & {
  artifacts: number
  all_bytes: number
}

/** A person waits for it, and a connection of the web is taken for so long. */
const TIME_LIMIT_MS = 20_000
const QUERY_CANCELED = '57014'

/** A dry run: what would go, the oldest first. It removes nothing, and is recorded. Throws `LIMIT_EXCEEDED` when it takes too long. */
export async function previewRetention(
  { db }: Pick<Services, 'db'>,
  { days }: { days: number },
  caller: Caller,
  limitMs = TIME_LIMIT_MS,
): Promise<RetentionPreview> {
  const now = await ledgerNow(db)
  const rows = await listRemovable(db, { days, now, limitMs })
  const [oldest] = rows
  const { artifacts, all_bytes: bytes } = oldest ?? { artifacts: 0, all_bytes: 0 }
  await recordEvent(db, {
    name: 'retention.previewed',
    actor: caller,
    resource: { type: 'storage', id: 'artifacts' },
    details: { days, artifacts, bytes },
  })
  const items = rows.map(({ artifacts: _, all_bytes: __, ...row }) => ({
    ...row,
    created_at: row.created_at.toISOString(),
  }))
  return { days, artifacts, bytes, oldest_at: items[0]?.created_at ?? null, items }
}

/** The oldest, and beside each how many there are in all. */
async function listRemovable(
  db: Db,
  { days, now, limitMs }: { days: number; now: Date; limitMs: number },
): Promise<Listed[]> {
  try {
    return await db.transaction(async (tx) => {
      await tx.query(sql`SELECT set_config('statement_timeout', ${String(limitMs)}, true)`)
      const { rows } = await tx.query<Listed>(sql`${removable(days, now)}
        SELECT artifact_id, title, agent_slug, bytes, created_at, count(*) OVER () AS artifacts, (sum(bytes) OVER ())::bigint AS all_bytes
        FROM removable ORDER BY created_at, artifact_id LIMIT ${LISTED}`)
      return rows
    })
  } catch (error) {
    if (sqlState(error) !== QUERY_CANCELED) throw error
    throw new Refused('LIMIT_EXCEEDED', `the dry run took longer than ${limitMs / 1000} s and was ended`)
  }
}
