/**
 * The health probe: every 15 s it writes and reads one small object, reads the garden's head, runs one ledger query and
 * asks the NotebookLM Backend, and stores the results in `component_health` [system#health].
 *
 * The status follows canonical storage, not processes: without object store, garden or ledger the system is
 * critical, without anything else degraded. A change of a component's status records an event, so that open pages see it.
 */
import sql from 'sql-template-tag'
import type { Component } from '#contracts/system.contract.ts'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { auditProblem } from '#server/audit/audit-state.query.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { backlog } from '#server/outbox/consume.ts'
import { ObjectConflict } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'

export const PROBE_SECONDS = 15
const PROBE_KEY = 'health/probe.json'
const WORKER_SILENCE_SECONDS = 45

export type Finding = Pick<Row<'component_health'>, 'status' | 'message'>

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    component_health: {
      component: Component
      status: 'healthy' | 'degraded' | 'unavailable' | 'not_configured'
    }
  }
}
type Probed = Pick<Services, 'db' | 'store' | 'garden'> & { nlmBackend(): Promise<Finding> }

const healthy: Finding = { status: 'healthy', message: null }

/** Probes every component once and stores what it found. */
export async function probeHealth(services: Probed): Promise<void> {
  await Promise.all([
    probe(services, 'ledger', () => services.db.query(sql`SELECT 1`).then(() => healthy)),
    probe(services, 'object_store', () => probeStore(services)),
    probe(services, 'git_garden', () => services.garden.head().then(() => healthy)),
    probe(services, 'nlm_backend', services.nlmBackend),
    probe(services, 'orchestration', () => probeWorkers(services.db)),
    probe(services, 'audit', () => probeAudit(services.db)),
    probe(services, 'stream', () => probeBacklog(services.db)),
  ])
}

async function probeStore({ store }: Probed): Promise<Finding> {
  const now = new TextEncoder().encode(JSON.stringify({ at: new Date().toISOString() }))
  const head = await store.head(PROBE_KEY)
  // Several workers probe the one object: another's write in between is a sign of health as well.
  await store.replace(PROBE_KEY, now, head?.etag ?? null).catch((error) => {
    if (!(error instanceof ObjectConflict)) throw error
  })
  const back = await store.get(PROBE_KEY)
  return back ? healthy : { status: 'unavailable', message: 'A written object could not be read back.' }
}

async function probeWorkers(db: Db): Promise<Finding> {
  const { rows } = await db.query<{ n: number }>(sql`SELECT count(*) AS n FROM worker_process
    WHERE stopped_at IS NULL AND heartbeat_at > clock_timestamp() - make_interval(secs => ${WORKER_SILENCE_SECONDS})`)
  return (rows[0]?.n ?? 0) > 0
    ? healthy
    : { status: 'unavailable', message: 'No worker has sent a heartbeat in the last 45 seconds.' }
}

async function probeAudit(db: Db): Promise<Finding> {
  const message = await auditProblem(db)
  return message === null ? healthy : { status: 'degraded', message }
}

async function probeBacklog(db: Db): Promise<Finding> {
  const waiting = await backlog(db, 'projector')
  return waiting < 10_000
    ? healthy
    : { status: 'degraded', message: `${waiting} events are not in the object store yet.` }
}

async function probe({ db }: Probed, component: Component, check: () => Promise<Finding>): Promise<void> {
  const started = performance.now()
  const found = await check().catch(
    (error: Error): Finding => ({ status: 'unavailable', message: error.message.slice(0, 200) }),
  )
  const ok = found.status === 'healthy'
  const { rows } = await db.query<{
    before: string | null
  }>(sql`WITH old AS (SELECT status FROM component_health WHERE component = ${component})
    INSERT INTO component_health AS c (component, status, latency_ms, message, last_success_at)
    VALUES (${component}, ${found.status}, ${performance.now() - started}, ${found.message}, CASE WHEN ${ok} THEN clock_timestamp() END)
    ON CONFLICT (component) DO UPDATE SET status = excluded.status, latency_ms = excluded.latency_ms, message = excluded.message,
      checked_at = clock_timestamp(), last_success_at = coalesce(excluded.last_success_at, c.last_success_at)
    RETURNING (SELECT status FROM old) AS before`)
  const before = rows[0]?.before
  if (!before || before === found.status) return
  await recordEvent(db, {
    name: 'health.changed',
    actor: SCHEDULER,
    resource: { type: 'component', id: component },
    from: before,
    to: found.status,
    ...(found.message ? { reason: found.message } : {}),
  })
}
