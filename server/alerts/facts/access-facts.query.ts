/** SQL: refused events of the last minutes, grouped by who was refused; silent workers that still hold leases. */
import sql, { join } from 'sql-template-tag'
import { CONDITIONS } from '#domain/alert/conditions.ts'
import { FENCE_QUIET_SECONDS, FENCE_WINDOW_SECONDS, REFUSAL_WINDOW_SECONDS } from '#domain/alert/windows.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUNNING } from '#domain/run/run.rules.ts'
import { state, states } from '#server/ledger/states.ts'
import { ago, type Fact, type FactParts, RESOURCES, resourcesOf } from './fact-parts.ts'

/** Refusals fold into at most 256 events a minute; so many hold five minutes of them. */
const REFUSALS = 2_000
const FENCES = 100
/** Refused writes of jobs, runs and LLM Tasks. */
const FENCE_EVENTS = ['job.write.refused', 'run.write.refused', 'lease.refused'] as const
const [, BURST] = CONDITIONS.refusals.opens.warning
const [, SILENT_SECONDS] = CONDITIONS.worker_silent.opens.warning

export const accessFacts = async (parts: FactParts): Promise<Fact[]> => [
  ...(await fenceFacts(parts)),
  ...(await refusalFacts(parts)),
  ...(await workerFacts(parts)),
]

/** Writes of former holders, of the last ten minutes; settled only after half an hour without one. */
async function fenceFacts({ db, now }: FactParts): Promise<Fact[]> {
  const newest = (name: string) =>
    sql`(SELECT e.ts FROM event e WHERE e.name = ${name} ORDER BY e.id DESC LIMIT ${FENCES})`
  const { rows } = await db.query<{ recent: number; known: number }>(sql`SELECT
      count(*) FILTER (WHERE f.ts > ${ago(now, FENCE_WINDOW_SECONDS)}) AS recent, count(*) AS known
    FROM (${join(FENCE_EVENTS.map(newest), ' UNION ALL ')}) f WHERE f.ts > ${ago(now, FENCE_QUIET_SECONDS)}`)
  const { recent = 0, known = 0 } = rows[0] ?? {}
  return [{ condition: 'fence_refusals', resource: 'fences', value: recent, settled: known === 0 }]
}

/** By identity, or by the hash of the address of somebody without one. What the product's own components refuse each other has rules of its own. */
async function refusalFacts({ db, now, standing }: FactParts): Promise<Fact[]> {
  const known = resourcesOf(standing, 'RefusalBurst')
  const { rows } = await db.query<{
    source: string
    n: number
  }>(sql`SELECT r.source, sum(r.n)::int AS n FROM (
      SELECT CASE WHEN e.actor_role = 'anonymous' THEN 'address:' || coalesce(e.details ->> 'address_hash', 'unknown') ELSE e.actor END AS source,
        coalesce((e.details ->> 'count')::int, 1) AS n, e.ts, e.actor_role
      FROM event e WHERE e.outcome = 'refused' ORDER BY e.id DESC LIMIT ${REFUSALS}) r
    WHERE r.ts > ${ago(now, REFUSAL_WINDOW_SECONDS)} AND r.actor_role <> 'service'
    GROUP BY r.source HAVING sum(r.n) > ${BURST} OR r.source = ANY(${known}::text[])
    ORDER BY r.source = ANY(${known}::text[]) DESC, sum(r.n) DESC LIMIT ${RESOURCES}`)
  return rows.map(({ source, n }) => ({ condition: 'refusals', resource: source, value: n }))
}

/** Workers that have not said good-bye, have been silent, and still hold a job or a run. */
async function workerFacts({ db, now, standing }: FactParts): Promise<Fact[]> {
  const { rows } = await db.query<{ worker_id: string; silent: number }>(sql`WITH leased AS (
      SELECT j.lease_holder AS holder FROM job j WHERE j.status IN ${states(jobMachine, ...ACTIVE_JOB_STATES)}
      UNION SELECT r.lease_holder FROM run r WHERE r.status = ${state(runMachine, RUNNING)}
    )
    SELECT w.worker_id, extract(epoch FROM ${now}::timestamptz - w.heartbeat_at)::float8 AS silent FROM leased h JOIN worker_process w ON w.worker_id = h.holder
    WHERE w.stopped_at IS NULL AND w.heartbeat_at < ${ago(now, SILENT_SECONDS)}
    ORDER BY w.worker_id = ANY(${resourcesOf(standing, 'WorkerLost')}::text[]) DESC, w.heartbeat_at DESC LIMIT ${RESOURCES}`)
  return rows.map(({ worker_id, silent }) => ({
    condition: 'worker_silent',
    resource: worker_id,
    value: silent,
  }))
}
