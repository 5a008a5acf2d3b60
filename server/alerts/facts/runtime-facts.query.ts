/** SQL: the oldest due tasks of each priority beside the workers that could take them; breakers; silent workers that hold leases. */
import sql, { type Sql } from 'sql-template-tag'
import { CONDITIONS } from '#domain/alert/conditions.ts'
import { UNTAKEN_SECONDS } from '#domain/alert/windows.ts'
import { CLOSED, OPENS_AFTER } from '#domain/task/breaker.rules.ts'
import { ACTIVE, onlineAt, QUEUED } from '#server/runtime/runtime-rows.ts'
import { ago, type Fact, type FactParts, RESOURCES, resourcesOf } from './fact-parts.ts'

/** Due tasks of one priority: what nobody can take stays while the others go, so it is among the oldest before long. */
const TASKS = 500
const MOST_URGENT = 9
/** Workers and active leases that one look considers. */
const WORKERS = 10_000
const LEASES = 10_000
const HOUR = 3_600
const [, SILENT_SECONDS] = CONDITIONS.node_silent.opens.warning

export const runtimeFacts = async (parts: FactParts): Promise<Fact[]> => [
  ...(await untakenTasks(parts)),
  ...(await openBreakers(parts)),
  ...(await silentNodes(parts)),
]

/** Workers that are not removed, along the index of their names. */
const REGISTERED: Sql = sql`SELECT w.worker_id, w.name, w.labels, w.can_run, w.drained_at, w.last_heartbeat_at, w.offline_at
  FROM worker_node w WHERE w.removed_at IS NULL ORDER BY w.name LIMIT ${WORKERS}`

/**
 * Tasks that no worker could take, neither now nor when it has room again: one that is full, cooling down or limited will. A task enters the queue with the
 * time at which it may begin, so whoever is due for so long has been queued for so long. With more workers than are read, nothing is known.
 */
async function untakenTasks({ db, now }: FactParts): Promise<Fact[]> {
  const { rows } = await db.query<{ registered: number; untaken: number }>(sql`WITH
      registered AS MATERIALIZED (${REGISTERED}),
      able AS MATERIALIZED (SELECT w.labels, array_agg(w.worker_id) AS workers FROM registered w
        WHERE w.can_run AND w.drained_at IS NULL AND ${onlineAt(sql`${now}::timestamptz`)} GROUP BY w.labels),
      due AS MATERIALIZED (SELECT t.required_labels, CASE WHEN t.allow_fallback THEN NULL ELSE t.first_worker_id END AS only_worker, count(*) AS n
        FROM generate_series(0, ${MOST_URGENT}::int) p, LATERAL (SELECT q.required_labels, q.allow_fallback, q.first_worker_id FROM llm_task q
          WHERE q.status = ${QUEUED} AND q.priority = p AND q.not_before < ${ago(now, UNTAKEN_SECONDS)} ORDER BY q.not_before LIMIT ${TASKS}) t
        GROUP BY 1, 2)
    SELECT (SELECT count(*) FROM registered) AS registered,
      (SELECT coalesce(sum(d.n), 0)::int FROM due d WHERE NOT EXISTS (SELECT FROM able w
        WHERE d.required_labels <@ w.labels AND (d.only_worker IS NULL OR d.only_worker = ANY(w.workers)))) AS untaken`)
  const { registered = 0, untaken = 0 } = rows[0] ?? {}
  return [{ condition: 'tasks_untaken', resource: 'tasks', value: registered < WORKERS ? untaken : null }]
}

/** Breakers that are not closed, with their openings within the hour. */
async function openBreakers({ db, now, standing }: FactParts): Promise<Fact[]> {
  const known = resourcesOf(standing, 'BreakerOpen')
  const { rows } = await db.query<{ name: string; failures: number; openings: number }>(sql`SELECT w.name,
      greatest(b.failures, ${OPENS_AFTER}::int) AS failures,
      (SELECT count(*) FROM unnest(b.opened_at) o(at) WHERE o.at > ${ago(now, HOUR)}) AS openings
    FROM (${REGISTERED}) w JOIN worker_breaker b ON b.worker_id = w.worker_id WHERE b.state <> ${CLOSED.state}
    ORDER BY w.name = ANY(${known}::text[]) DESC, w.name LIMIT ${RESOURCES}`)
  return rows.flatMap(({ name: resource, failures, openings }): Fact[] => [
    { condition: 'breaker_failures', resource, value: failures },
    { condition: 'breaker_openings', resource, value: openings },
  ])
}

/** Worker Nodes that were not heard and still hold a lease. A drained one is expected to fall silent. */
async function silentNodes({ db, now, standing }: FactParts): Promise<Fact[]> {
  const { rows } = await db.query<{ name: string; silent: number }>(sql`SELECT w.name,
      extract(epoch FROM ${now}::timestamptz - w.last_heartbeat_at)::float8 AS silent
    FROM (SELECT DISTINCT a.worker_id FROM (SELECT l.worker_id FROM task_lease l WHERE l.status = ${ACTIVE} ORDER BY l.expires_at LIMIT ${LEASES}) a) h
      JOIN worker_node w ON w.worker_id = h.worker_id
    WHERE w.removed_at IS NULL AND w.drained_at IS NULL AND w.last_heartbeat_at < ${ago(now, SILENT_SECONDS)}
    ORDER BY w.name = ANY(${resourcesOf(standing, 'WorkerLost')}::text[]) DESC, w.last_heartbeat_at DESC LIMIT ${RESOURCES}`)
  return rows.map(({ name, silent }) => ({ condition: 'node_silent', resource: name, value: silent }))
}
