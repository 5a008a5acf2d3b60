/**
 * The health probe: every 15 s it writes and reads one small object, reads the garden's head, runs one ledger query and
 * asks the NotebookLM Backend, and keeps what it found in `component_health` (contract page 10, section 2).
 *
 * The status follows canonical storage, not processes: object store, garden or ledger gone is critical; anything else gone
 * is degraded. A change of a component's status leaves an event, so that open pages see it; a steady state leaves none.
 */
import sql from 'sql-template-tag'
import type { Component } from '#contracts/system.contract.ts'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { backlog } from '#server/outbox/consume.ts'
import { ObjectConflict } from '#server/ports/object-store.ts'

export const PROBE_SECONDS = 15
const PROBE_KEY = 'health/probe.json'
const UNSEALED_LIMIT_SECONDS = 5
const WORKER_SILENCE_SECONDS = 45

export type Finding = {
  status: 'healthy' | 'degraded' | 'unavailable' | 'not_configured'
  message: string | null
}
type Parts = Pick<Services, 'db' | 'store' | 'garden' | 'hints'> & { nlmHealth(): Promise<Finding> }

const healthy: Finding = { status: 'healthy', message: null }

/** Probes every component once and stores what it found. */
export async function probeHealth(parts: Parts): Promise<void> {
  await Promise.all([
    probe(parts, 'ledger', () => parts.db.query(sql`SELECT 1`).then(() => healthy)),
    probe(parts, 'object_store', () => probeStore(parts)),
    probe(parts, 'git_garden', () => parts.garden.head().then(() => healthy)),
    probe(parts, 'nlm_backend', parts.nlmHealth),
    probe(parts, 'orchestration', () => probeWorkers(parts.db)),
    probe(parts, 'audit', () => probeAudit(parts.db)),
    probe(parts, 'stream', () => probeBacklog(parts.db)),
  ])
}

async function probeStore({ store }: Parts): Promise<Finding> {
  const now = new TextEncoder().encode(JSON.stringify({ at: new Date().toISOString() }))
  const head = await store.head(PROBE_KEY)
  // Several workers probe the one object: another's write in between is a sign of health as well.
  await store.replace(PROBE_KEY, now, head?.etag ?? null).catch((error) => {
    if (!(error instanceof ObjectConflict)) throw error
  })
  const back = await store.get(PROBE_KEY)
  return back ? healthy : { status: 'unavailable', message: 'What was written could not be read back.' }
}

async function probeWorkers(db: Db): Promise<Finding> {
  const { rows } = await db.query<{ n: number }>(sql`SELECT count(*) AS n FROM worker_process
    WHERE stopped_at IS NULL AND heartbeat_at > clock_timestamp() - make_interval(secs => ${WORKER_SILENCE_SECONDS})`)
  return (rows[0]?.n ?? 0) > 0
    ? healthy
    : { status: 'unavailable', message: 'No worker has reported lately.' }
}

async function probeAudit(db: Db): Promise<Finding> {
  const { rows } = await db.query<{ n: number }>(sql`SELECT count(*) AS n FROM event e, event_head h
    WHERE e.id > h.low AND e.ts < clock_timestamp() - make_interval(secs => ${UNSEALED_LIMIT_SECONDS})
    AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)`)
  const late = rows[0]?.n ?? 0
  return late === 0 ? healthy : { status: 'degraded', message: `${late} events wait for their seal.` }
}

async function probeBacklog(db: Db): Promise<Finding> {
  const waiting = await backlog(db, 'projector')
  return waiting < 10_000
    ? healthy
    : { status: 'degraded', message: `${waiting} events wait to be written to the object store.` }
}

async function probe(
  { db, hints }: Parts,
  component: Component,
  check: () => Promise<Finding>,
): Promise<void> {
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
  hints.hint('events')
}
