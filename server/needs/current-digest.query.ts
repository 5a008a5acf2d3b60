import sql from 'sql-template-tag'
import type { NeedsDigest } from '#contracts/needs.contract.ts'
import type { DigestCounts } from '#domain/inbox/digest.rules.ts'
import { DEFAULT_CHOICES } from '#domain/push/push.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    needs_digest: { counts: DigestCounts }
  }
}

type Found = { day: string; counts: DigestCounts; created_at: Date }

/** The latest digest of an account while it is unread, wanted, and something waited; SQL: the latest row, then what is true of it. */
export async function currentDigest(db: Db, accountId: string | undefined): Promise<NeedsDigest | null> {
  if (!accountId) return null
  const { rows } = await db.query<Found>(
    prepared(sql`SELECT d.day::text AS day, d.counts, d.created_at
    FROM (SELECT * FROM needs_digest WHERE account_id = ${accountId} ORDER BY day DESC LIMIT 1) d
      LEFT JOIN notification_choice c ON c.account_id = d.account_id
    WHERE d.total > 0 AND d.read_at IS NULL AND coalesce(c.digest, ${DEFAULT_CHOICES.digest})`),
  )
  const [row] = rows
  return row ? { ...row, created_at: row.created_at.toISOString() } : null
}
