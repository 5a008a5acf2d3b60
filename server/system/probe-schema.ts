import { readdir } from 'node:fs/promises'
import path from 'node:path'
import sql from 'sql-template-tag'
import { ROOT } from '#server/launch/checkout.mjs'
import type { Db } from '#server/ledger/database.ts'
import type { Finding } from './probe-health.ts'

/** Whether the ledger has the newest migration of this checkout; throws when it does not answer. */
export async function probeSchema(
  db: Db,
  directory = path.join(ROOT, 'prisma/migrations'),
): Promise<Finding> {
  const found = await readdir(directory, { withFileTypes: true })
  const newest = found
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .at(-1)
  const { rows } = await db.query<{ n: number }>(sql`SELECT count(*) AS n FROM _prisma_migrations
    WHERE migration_name = ${newest} AND finished_at IS NOT NULL AND rolled_back_at IS NULL`)
  if ((rows[0]?.n ?? 0) > 0) return { status: 'healthy', message: null }
  return {
    status: 'unavailable',
    message: `schema_missing: The database lacks the migration ${newest}. Start the product again.`,
  }
}
