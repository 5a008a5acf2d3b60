import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import type { WorkerRegistration, WorkerView } from '#contracts/worker.contract.ts'
import { type Caller, nodeOf } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { OFFLINE_AFTER_SECONDS, RUNTIME, WORKER_SELECT, type WorkerRow, workerView } from './runtime-rows.ts'

/**
 * A worker says that it is there and what it can do; workers are one by their name. What people set stays: its drain, the address that the owner
 * corrected. Only `online` counts as being heard, `offline` ends it; any other status is newer than nothing [runtime#workers].
 */
export async function registerWorker(
  db: Db,
  given: WorkerRegistration,
  caller: Caller,
): Promise<{ worker: WorkerView; created: boolean }> {
  return db.transaction(async (tx) => {
    const is = given.status ?? 'online'
    const can = given.capabilities
    const heartbeat = is === 'online' ? sql`clock_timestamp()` : sql`NULL::timestamptz`
    const silent = is === 'offline' ? sql`clock_timestamp()` : sql`NULL::timestamptz`
    const { rows } = await tx.query<
      Row<'worker_node', 'worker_id' | 'name' | 'updated_at'> & { created: boolean }
    >(sql`INSERT INTO worker_node AS w
        (worker_id, name, url, url_by, can_run, max_concurrency, labels, features, ip_addrs, agent_version, os_info, install_method, last_heartbeat_at, offline_at, registered_at)
      VALUES (${randomUUID()}, ${given.name}, ${given.url}, ${saidBy(given, caller)}, ${can?.claude_cli ?? false}, ${can?.max_concurrency ?? 1}, ${can?.labels ?? []},
        ${json(can?.features ?? {})}, ${given.ip_addrs}, ${given.agent_version}, ${given.os_info}, ${given.install_method}, ${heartbeat}, ${silent}, clock_timestamp())
      ON CONFLICT (name) WHERE removed_at IS NULL DO UPDATE SET
        url = coalesce(excluded.url, w.url),
        url_by = CASE WHEN excluded.url IS NULL THEN w.url_by WHEN excluded.url = w.url THEN coalesce(excluded.url_by, w.url_by) ELSE excluded.url_by END,
        can_run = CASE WHEN ${can !== null} THEN excluded.can_run ELSE w.can_run END,
        max_concurrency = CASE WHEN ${can !== null} THEN excluded.max_concurrency ELSE w.max_concurrency END,
        labels = CASE WHEN ${can !== null} THEN excluded.labels ELSE w.labels END,
        features = CASE WHEN ${can !== null} THEN excluded.features ELSE w.features END,
        ip_addrs = CASE WHEN cardinality(excluded.ip_addrs) > 0 THEN excluded.ip_addrs ELSE w.ip_addrs END,
        agent_version = coalesce(excluded.agent_version, w.agent_version), os_info = coalesce(excluded.os_info, w.os_info),
        install_method = coalesce(excluded.install_method, w.install_method),
        last_heartbeat_at = coalesce(excluded.last_heartbeat_at, w.last_heartbeat_at),
        offline_at = CASE WHEN ${is} = 'online' THEN NULL WHEN ${is} = 'offline' THEN coalesce(w.offline_at, excluded.offline_at) ELSE w.offline_at END,
        registered_at = excluded.registered_at, updated_at = clock_timestamp()
      RETURNING w.worker_id, w.name, w.updated_at, (xmax = 0) AS created`)
    const [row] = rows as [(typeof rows)[number]]
    await tx.query(
      sql`INSERT INTO worker_breaker (worker_id) VALUES (${row.worker_id}) ON CONFLICT DO NOTHING`,
    )
    if (row.created)
      await recordEvent(tx, {
        ...{ name: 'worker.registered', actor: caller, resource: { type: 'worker', id: row.worker_id } },
        details: { name: row.name, url: given.url, capabilities: can },
      })
    // Work may be waiting for it.
    tx.notify('tasks')
    return { worker: (await findWorker(tx, row.worker_id)) as WorkerView, created: row.created }
  })
}

/** The node itself, under its own key. Anybody else here shares his key, or was not asked for his password: no key goes where he says. */
const saidBy = ({ name, url }: WorkerRegistration, caller: Caller): string | null =>
  url !== null && nodeOf(caller) === name ? caller.identity : null

export async function findWorker(db: Db, workerId: string): Promise<WorkerView | null> {
  const { rows } = await db.query<WorkerRow & { breaker_until: Date | null }>(
    sql`${WORKER_SELECT} WHERE w.worker_id = ${workerId} AND w.removed_at IS NULL`,
  )
  return rows[0] ? workerView(rows[0]) : null
}

/** Workers that were silent for a minute: recorded once, until they report again; their leases run to their end. Returns how many. */
export function markWorkersOffline({ db }: { db: Db }): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<Row<'worker_node', 'worker_id' | 'name' | 'last_heartbeat_at'>>(
      sql`UPDATE worker_node w SET offline_at = clock_timestamp(), updated_at = clock_timestamp()
        WHERE w.worker_id = ANY(ARRAY(SELECT o.worker_id FROM worker_node o WHERE o.offline_at IS NULL AND o.removed_at IS NULL
            AND coalesce(o.last_heartbeat_at, o.created_at) < clock_timestamp() - make_interval(secs => ${OFFLINE_AFTER_SECONDS})
          ORDER BY o.worker_id FOR NO KEY UPDATE SKIP LOCKED))
        RETURNING w.worker_id, w.name, w.last_heartbeat_at`,
    )
    for (const { worker_id, name, last_heartbeat_at } of rows)
      await recordEvent(tx, {
        ...{ name: 'worker.offline', actor: RUNTIME, outcome: 'error' },
        resource: { type: 'worker', id: worker_id },
        details: { name, last_heartbeat_at: last_heartbeat_at?.toISOString() ?? null },
      })
    return rows.length
  })
}
