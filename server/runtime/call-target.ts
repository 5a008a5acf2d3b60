/** Where a worker is called, and under which key. A key goes only where somebody said on whose word it may [runtime#workers]. */
import sql from 'sql-template-tag'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { callKeyOf, isJoined } from '#server/keys/call-key.ts'
import type { Db } from '#server/ledger/database.ts'
import { NO_WORKER } from './manage-worker.ts'
import { CALLED_AT } from './runtime-rows.ts'

export type CallTarget = { name: string; url: string; key: string }

const NO_URL = refuse({
  code: 'BAD_REQUEST',
  message: 'This worker has no url: it fetches its tasks and is called by nobody.',
})
const SAID_BY_ANYBODY = refuse({
  code: 'NODE_NOT_CALLABLE',
  message:
    'This worker can’t be called: neither the owner, the admin key nor the node’s own key said its address. It can fetch its tasks; the owner can say the address.',
})

type Found = { name: string; has_url: boolean; url: string | null; joined: boolean }

/** 404 without the worker, 400 without an address, 409 for one that anybody may have said. */
export async function callTargetOf(
  { db, env }: { db: Db; env: { MEMBRIDGE_AGENT_KEY: string } },
  workerId: string,
): Promise<Result<CallTarget>> {
  const { rows } = await db.query<Found>(
    sql`SELECT w.name, coalesce(w.corrected_url, w.url) IS NOT NULL AS has_url, ${CALLED_AT} AS url, ${isJoined(sql`w.name`)} AS joined
      FROM worker_node w WHERE w.worker_id = ${workerId} AND w.removed_at IS NULL`,
  )
  const [row] = rows
  if (!row) return NO_WORKER
  if (row.url === null) return row.has_url ? SAID_BY_ANYBODY : NO_URL
  return ok({ name: row.name, url: row.url, key: callKeyOf(row, env.MEMBRIDGE_AGENT_KEY) })
}
