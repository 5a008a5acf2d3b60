import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { parseRemoteAddress, shownAddress } from '#server/ports/remote-address.ts'
import type { Services } from '#server/services.ts'

type Env = Pick<Services['env'], 'GARDEN_REMOTE'>

/**
 * For how many seconds, at the moment `now`, the configured remote has not followed the branch ([apply#remote]): since its pushes have failed, or
 * since the oldest commit waits that no push has brought. 0 while it follows, and of a remote that nothing is known of yet; null without one.
 * A new remote lacks everything at first, so what waits counts from its latest push on.
 */
export async function remoteLag({ db, env }: { db: Db; env: Env }, now: Sql): Promise<number | null> {
  const configured = env.GARDEN_REMOTE ? parseRemoteAddress(env.GARDEN_REMOTE) : null
  if (!configured) return null
  const { rows } = await db.query<{ seconds: number | null }>(sql`SELECT
      extract(epoch FROM ${now} - least(r.failing_since, (SELECT greatest(p.updated_at, r.pushed_at) FROM proposal p
        WHERE p.git_commit IS NOT NULL AND p.remote_pushed_at IS NULL AND r.pushed_at IS NOT NULL
        ORDER BY p.updated_at, p.proposal_id LIMIT 1)))::float8 AS seconds
    FROM garden_remote r WHERE r.address = ${shownAddress(configured)}`)
  return Math.max(0, rows[0]?.seconds ?? 0)
}
