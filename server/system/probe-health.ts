/**
 * The health probe: every 15 s it writes and reads one small object, reads the garden's head, looks for the newest migration and
 * asks the NotebookLM Backend and the Membridge Control Plane, and stores the results in `component_health` [system#health].
 *
 * The status follows canonical storage, not processes: without object store, garden or ledger the system is
 * critical, without anything else degraded. A change of a component's status records an event, so that open pages see it.
 */
import sql from 'sql-template-tag'
import { CANONICAL, type Component } from '#contracts/system.contract.ts'
import { auditProblem } from '#server/audit/audit-state.query.ts'
import { TimedOut, withTimeout } from '#server/concurrency/with-timeout.ts'
import { skewInWords } from '#server/ledger/clock-skew.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { observe } from '#server/metrics/meter.ts'
import { backlog } from '#server/outbox/consume.ts'
import { ObjectConflict } from '#server/ports/object-store.ts'
import { WORKER_SILENCE_SECONDS } from '#server/runs/worker-lives.query.ts'
import type { Services } from '#server/services.ts'
import { findingOfError } from './disk-space.ts'
import { recordFinding } from './record-finding.ts'

export const PROBE_SECONDS = 15
/** How long a component may take to answer: with the interval less than the 30 s in which storage that fell silent has to be noticed. */
const SILENCE_SECONDS = 10
const PROBE_KEY = 'health/probe.json'

/** Canonical storage; the time of its probes is a metric. */
const STORAGE: ReadonlySet<string> = new Set(CANONICAL)

export type Finding = Pick<Row<'component_health'>, 'status' | 'message'>

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    component_health: {
      component: Component
      status: 'healthy' | 'degraded' | 'unavailable' | 'not_configured'
    }
  }
}
type Probed = Pick<Services, 'db' | 'store'> & {
  orchestration: Pick<Services['orchestration'], 'healthCheck'>
  gardenState(): Promise<Finding>
  nlmBackend(): Promise<Finding>
  controlPlane(): Promise<Finding>
  /** Waits while a process beside this one may still be starting: until `check` finds it healthy, or for long enough. Nobody waits without it. */
  untilStarted?(check: () => Promise<Finding>): Promise<void>
  /** Whether the ledger has the schema of this build. */
  schema(): Promise<Finding>
  /** What the object store was found not to keep of its conditions; null when nothing is known against it. */
  storeFault(): string | null
}

const healthy: Finding = { status: 'healthy', message: null }

/** Probes every component once and stores what it found. */
export async function probeHealth(services: Probed): Promise<void> {
  await Promise.all([
    probe(services, 'ledger', services.schema),
    probe(services, 'object_store', () => probeStore(services)),
    probe(services, 'git_garden', services.gardenState),
    probeBackend(services, 'nlm_backend', services.nlmBackend),
    probeBackend(services, 'control_plane', services.controlPlane),
    probe(services, 'orchestration', () => probeOrchestration(services)),
    probe(services, 'audit', () => probeAudit(services.db)),
    probe(services, 'stream', () => probeBacklog(services.db)),
  ])
}

async function probeStore({ store, storeFault }: Probed): Promise<Finding> {
  const now = new TextEncoder().encode(JSON.stringify({ at: new Date().toISOString() }))
  const head = await store.head(PROBE_KEY)
  // Several workers probe the one object: another's write in between is a sign of health as well.
  await store.replace(PROBE_KEY, now, head?.etag ?? null).catch((error) => {
    if (!(error instanceof ObjectConflict)) throw error
  })
  const back = await store.get(PROBE_KEY)
  if (!back)
    return { status: 'unavailable', message: 'object_lost: A written object could not be read back.' }
  const fault = storeFault()
  return fault ? { status: 'degraded', message: fault } : healthy
}

/** The engine says whether it works; the ledger adds why, where it knows, and what a clock that is off does to its workers. */
async function probeOrchestration({ db, orchestration }: Probed): Promise<Finding> {
  const [{ healthy: works, vendor }, workers] = await Promise.all([
    orchestration.healthCheck(),
    probeWorkers(db),
  ])
  if (works || workers.status === 'unavailable') return workers
  return {
    status: 'unavailable',
    message: `engine_idle: The orchestration engine (${vendor}) takes up no runs.`,
  }
}

async function probeWorkers(db: Db): Promise<Finding> {
  const { rows } = await db.query<
    Row<'worker_process', 'clock_skew_ms'>
  >(sql`SELECT w.clock_skew_ms FROM worker_process w
    WHERE w.stopped_at IS NULL AND w.heartbeat_at > clock_timestamp() - make_interval(secs => ${WORKER_SILENCE_SECONDS})
    ORDER BY abs(coalesce(w.clock_skew_ms, 0)) DESC`)
  const [worst] = rows
  if (!worst)
    return {
      status: 'unavailable',
      message: 'no_worker: No worker has sent a heartbeat in the last 45 seconds.',
    }
  const skew = skewInWords(worst.clock_skew_ms ?? 0)
  return skew ? { status: 'degraded', message: `clock_skew: The clock of a worker is ${skew}.` } : healthy
}

async function probeAudit(db: Db): Promise<Finding> {
  const problem = await auditProblem(db)
  return problem === null ? probeFaults(db) : { status: 'degraded', message: problem }
}

/** Objects that the projector has set aside: named, because an operator has to look at them. */
async function probeFaults(db: Db): Promise<Finding> {
  const { rows } = await db.query<Row<'projection_fault'> & { n: number }>(
    sql`SELECT f.*, count(*) OVER () AS n FROM projection_fault f ORDER BY f.occurred_at LIMIT 1`,
  )
  const [first] = rows
  if (!first) return healthy
  const { resource_type, resource_id, message, n } = first
  const more = n > 1 ? ` And ${n - 1} more.` : ''
  return { status: 'degraded', message: `not_projected: ${resource_type} ${resource_id}: ${message}.${more}` }
}

async function probeBacklog(db: Db): Promise<Finding> {
  const waiting = await backlog(db, 'projector')
  return waiting < 10_000
    ? healthy
    : { status: 'degraded', message: `events_waiting: ${waiting} events are not in the object store yet.` }
}

/** How long it took to start is no latency. */
async function probeBackend(
  services: Probed,
  component: Component,
  check: () => Promise<Finding>,
): Promise<void> {
  await services.untilStarted?.(check)
  await probe(services, component, check)
}

async function probe({ db }: Probed, component: Component, check: () => Promise<Finding>): Promise<void> {
  const started = performance.now()
  const found = await withTimeout({ ms: SILENCE_SECONDS * 1000 }, check).catch(findingOfProbe)
  const ms = performance.now() - started
  if (STORAGE.has(component)) observe('garden_storage_probe_seconds', { kind: component }, ms / 1000)
  await recordFinding(db, { component, latency_ms: ms, ...found })
}

/** A component that accepts connections and never answers fails as one that refuses them. */
const findingOfProbe = (error: Error): Finding =>
  error instanceof TimedOut
    ? { status: 'unavailable', message: `probe_silent: It did not answer within ${SILENCE_SECONDS} s.` }
    : findingOfError(error)
