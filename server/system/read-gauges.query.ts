/** SQL: capped counts in one pass, ages by the database clock. */
import { statfs } from 'node:fs/promises'
import sql from 'sql-template-tag'
import { alertMachine, STANDING_ALERTS } from '#domain/alert/alert.machine.ts'
import { SEVERITIES } from '#domain/alert/condition.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { jobCounts } from '#server/jobs/job-counts.ts'
import type { Db } from '#server/ledger/database.ts'
import { state, states } from '#server/ledger/states.ts'
import { type Reading, reading } from '#server/metrics/render.ts'
import { backlog, PROJECTOR } from '#server/outbox/consume.ts'
import { remoteLag } from '#server/proposals/remote-lag.query.ts'
import type { Services } from '#server/services.ts'
import { runtimeReadings, TASK_LEASES } from './runtime-gauges.query.ts'

/** Counting more would keep a scrape waiting: states are counted in their index, waiting jobs in their rows. */
const COUNT_CAP = 100_000
const QUEUE_CAP = 20_000
const PROJECT_CAP = 1_000
/** A worker that has not been heard of for this long is offline; after an hour it is not shown any more. */
const OFFLINE_SECONDS = 45
const FORGOTTEN_SECONDS = 3_600

export type GaugeParts = Pick<Services, 'db'> & { env: Pick<Services['env'], 'BLOOM_HOME' | 'GARDEN_REMOTE'> }

/** How things stand in the installation, whatever process asks [system#metrics]. */
export async function readGauges({ db, env }: GaugeParts): Promise<Reading[]> {
  const readings = await Promise.all([
    jobReadings(db),
    proposalReadings(db),
    queueReadings(db),
    deadReadings(db),
    proposalAges(db),
    runReadings(db),
    runtimeReadings(db),
    workerReadings(db),
    backlogReadings(db),
    incidentReadings(db),
    remoteReadings({ db, env }),
    leadershipReadings(db),
    diskReadings(env.BLOOM_HOME),
  ])
  return readings.flat()
}

/** A job that was cancelled is FAILED in the ledger and no failure: it has a status of its own here. */
async function jobReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{ name: string; n: number }>(jobCounts(COUNT_CAP))
  return rows.map(({ name, n }) => reading('garden_jobs', { status: name.toUpperCase() }, n))
}

async function proposalReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{ status: string; n: number }>(sql`SELECT w.status, c.n
    FROM unnest(${[...proposalMachine.states]}::text[]) AS w(status), LATERAL (SELECT count(*) AS n
      FROM (SELECT 1 FROM proposal x WHERE x.status = w.status LIMIT ${COUNT_CAP}) counted) c`)
  return rows.map(({ status, n }) => reading('garden_proposals', { status }, n))
}

async function queueReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{
    job_type: string
    tenant: string
    n: number
  }>(sql`SELECT q.job_type, q.tenant, count(*) AS n
    FROM (SELECT job_type, tenant FROM job WHERE status IN ${states(jobMachine, 'PENDING', 'QUEUED')} LIMIT ${QUEUE_CAP}) q
    GROUP BY q.job_type, q.tenant`)
  return rows.map(({ job_type: jobType, tenant, n }) => reading('job_queue_depth', { jobType, tenant }, n))
}

async function deadReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{
    job_type: string
    tenant: string
    n: number
  }>(sql`SELECT d.job_type, d.tenant, count(*) AS n
    FROM (SELECT job_type, tenant FROM job WHERE status = ${state(jobMachine, 'DEAD')} LIMIT ${COUNT_CAP}) d GROUP BY 1, 2`)
  return rows.map(({ job_type: jobType, tenant, n }) =>
    reading('garden_deadletter_depth', { jobType, tenant }, n),
  )
}

async function incidentReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{
    severity: string
    n: number
  }>(sql`SELECT w.severity, count(a.alert_id) AS n
    FROM unnest(${[...SEVERITIES]}::text[]) AS w(severity)
    LEFT JOIN alert a ON a.severity = w.severity AND a.status IN ${states(alertMachine, ...STANDING_ALERTS)} GROUP BY 1`)
  return rows.map(({ severity, n }) => reading('garden_incidents_open', { severity }, n))
}

async function proposalAges(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{
    action: string
    age: number
  }>(sql`SELECT action, extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS age
    FROM proposal WHERE status = ${state(proposalMachine, 'PENDING')} GROUP BY action`)
  return rows.map(({ action, age }) => reading('garden_proposal_age_seconds_max', { action }, age))
}

async function runReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{ running: number; queued: number; leases: number }>(sql`SELECT
    (SELECT count(*) FROM run WHERE status = ${state(runMachine, 'running')}) AS running,
    (SELECT count(*) FROM run WHERE status = ${state(runMachine, 'queued')}) AS queued,
    (SELECT count(*) FROM job WHERE status IN ${states(jobMachine, ...ACTIVE_JOB_STATES)} AND lease_expires_at > clock_timestamp())
      + (SELECT count(*) FROM run WHERE status = ${state(runMachine, 'running')} AND lease_expires_at > clock_timestamp())
      + (SELECT count(*) FROM proposal WHERE status = ${state(proposalMachine, 'APPLYING')} AND lease_expires_at > clock_timestamp()) + ${TASK_LEASES} AS leases`)
  const { running = 0, queued = 0, leases = 0 } = rows[0] ?? {}
  return [
    reading('garden_runs_running', {}, running),
    reading('garden_runs_queued', {}, queued),
    reading('garden_leases_active', {}, leases),
  ]
}

async function workerReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{ worker: string; age: number }>(sql`SELECT host || ':' || pid AS worker,
      extract(epoch FROM clock_timestamp() - max(heartbeat_at))::float8 AS age
    FROM worker_process WHERE stopped_at IS NULL AND heartbeat_at > clock_timestamp() - make_interval(secs => ${FORGOTTEN_SECONDS})
    GROUP BY 1`)
  const online = rows.filter(({ age }) => age <= OFFLINE_SECONDS).length
  return [
    reading('garden_workers', { status: 'online' }, online),
    reading('garden_workers', { status: 'offline' }, rows.length - online),
    ...rows.map(({ worker, age }) =>
      reading('garden_worker_heartbeat_age_seconds', { worker }, Math.max(0, age)),
    ),
  ]
}

async function backlogReadings(db: Db): Promise<Reading[]> {
  const unmirrored = await backlog(db, PROJECTOR)
  const { rows } = await db.query<{
    faults: number
    unreferenced: number
    unsealed: number
    uncounted: number
  }>(sql`SELECT
    (SELECT count(*) FROM projection_fault) AS faults,
    (SELECT count(*) FROM object_mark WHERE condemned_at IS NULL) AS unreferenced,
    (SELECT count(*) FROM (SELECT 1 FROM event e WHERE e.id > h.low AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id) LIMIT ${COUNT_CAP}) x) AS unsealed,
    h.seq - coalesce((SELECT p.seq FROM metric_position p), 0) AS uncounted FROM event_head h`)
  const { faults = 0, unreferenced = 0, unsealed = 0, uncounted = 0 } = rows[0] ?? {}
  return [
    reading('garden_outbox_backlog', { kind: PROJECTOR }, unmirrored),
    reading('garden_outbox_backlog', { kind: 'metrics' }, uncounted),
    reading('garden_audit_unmirrored', { kind: 'sealed' }, unmirrored),
    reading('garden_audit_unmirrored', { kind: 'unsealed' }, unsealed),
    reading('garden_projection_faults', {}, faults),
    reading('garden_objects_unreferenced', {}, unreferenced),
  ]
}

/** Nought without a remote. */
async function remoteReadings(parts: GaugeParts): Promise<Reading[]> {
  const lag = await remoteLag(parts, sql`clock_timestamp()`)
  return [reading('garden_remote_lag_seconds', {}, lag ?? 0)]
}

type Mirrored = {
  project: string
  epoch: number | null
  term: number | null
  remaining: number | null
  locked: boolean | null
}

/** What the mirror has; nothing of a lease that is not there or cannot be read. */
async function leadershipReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<Mirrored>(sql`SELECT l.canonical_id AS project, l.epoch, l.term,
      (l.remaining_seconds - extract(epoch FROM clock_timestamp() - l.observed_at))::float8 AS remaining,
      l.lock_state IN ('active', 'grace', 'stale') AS locked
    FROM membridge_lease l WHERE l.lease_state IS NOT NULL ORDER BY l.canonical_id LIMIT ${PROJECT_CAP}`)
  return rows.flatMap(({ project, epoch, term, remaining, locked }) => [
    ...(epoch === null ? [] : [reading('garden_leadership_epoch', { project }, epoch)]),
    ...(term === null ? [] : [reading('garden_leadership_term', { project }, term)]),
    ...(remaining === null ? [] : [reading('garden_leadership_expires_seconds', { project }, remaining)]),
    reading('garden_push_lock_held', { project }, Number(locked === true)),
  ])
}

/** The disk that holds the home; an outside object store or database says nothing of its own. */
async function diskReadings(home: string): Promise<Reading[]> {
  const disk = await statfs(home).catch(() => null)
  if (!disk?.blocks) return []
  const used = disk.blocks - disk.bfree
  return [reading('garden_storage_used_ratio', { kind: 'home' }, used / Math.max(1, used + disk.bavail))]
}
