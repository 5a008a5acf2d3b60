/**
 * Syncs that people asked for at the gateway, carried out by the control plane, which alone calls nodes ([membridge#syncs]). One is taken up once: a process that
 * dies while it waits for a node leaves the sync pending, and it is given up, never repeated. A node has one call at a time from here, so that one which hangs
 * holds up its own syncs alone; and none is begun that would be given up before its node has to answer.
 */
import sql from 'sql-template-tag'
import { syncMachine } from '#domain/membridge/sync.machine.ts'
import { CALL_SECONDS, SYNC_ANSWER_SECONDS } from '#domain/membridge/sync.rules.ts'
import { fromNow } from '#server/ledger/clock.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { type CallParts, carryOutSync, finishSurely } from './carry-out-sync.ts'
import { findSyncTarget } from './sync-target.ts'

const WAITING = ['sync_id', 'action', 'project', 'agent', 'request_id'] as const
type Waiting = Row<'membridge_sync', (typeof WAITING)[number]>
const PENDING = state(syncMachine, 'pending')

/** Takes up at most so many waiting syncs, the oldest of each free agent, oldest first; each comes to one caller alone. */
export async function takeUpSyncs({ db }: Pick<CallParts, 'db'>, limit: number): Promise<Waiting[]> {
  const { rows } = await db.query<Waiting>(sql`
    WITH first AS (
      SELECT DISTINCT ON (w.agent) w.sync_id FROM membridge_sync w
      WHERE w.status = ${PENDING} AND w.called_at IS NULL AND w.created_at > ${fromNow(CALL_SECONDS - SYNC_ANSWER_SECONDS)}
        AND NOT EXISTS (SELECT 1 FROM membridge_sync b WHERE b.agent = w.agent AND b.status = ${PENDING}
          AND b.created_at > ${fromNow(-SYNC_ANSWER_SECONDS)} AND b.called_at > ${fromNow(-CALL_SECONDS)})
      ORDER BY w.agent, w.created_at, w.sync_id
    ), o AS (
      SELECT o.sync_id FROM membridge_sync o JOIN first ON first.sync_id = o.sync_id
      WHERE o.status = ${PENDING} AND o.called_at IS NULL
      ORDER BY o.created_at, o.sync_id LIMIT ${limit} FOR UPDATE OF o SKIP LOCKED
    )
    UPDATE membridge_sync s SET called_at = clock_timestamp() FROM o WHERE s.sync_id = o.sync_id
    RETURNING ${columns('membridge_sync', 's', WAITING)}`)
  return rows
}

/** Carries out a sync that was taken up. What it was asked of may be gone by now: then that is how it ends. */
export async function carryOutWaiting(
  parts: CallParts,
  { sync_id, action, ...asked }: Waiting,
): Promise<void> {
  const found = await findSyncTarget(parts, asked)
  if (found.ok) {
    await carryOutSync(parts, found.value, { id: sync_id, action, request_id: asked.request_id })
    return
  }
  const end = { sync_id, action, outcome: 'error', detail: found.refusal.message } as const
  await finishSurely(parts, end)
}
