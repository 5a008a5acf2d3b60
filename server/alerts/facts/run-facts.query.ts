/** SQL: the newest runs of two states together, and a percentile. */
import sql from 'sql-template-tag'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { LAST_RUNS } from '#domain/alert/windows.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { ago, type Fact, type FactParts, RESOURCES, resourcesOf } from './fact-parts.ts'

const COMPLETED = state(runMachine, 'completed')
const FAILED = state(runMachine, 'failed')
const HOUR = 3_600
/** Completed runs that the percentile considers: the newest that were requested. */
const NEWEST = 1_000

export const runFacts = async (parts: FactParts): Promise<Fact[]> => [
  ...(await lastRuns(parts)),
  ...(await durations(parts)),
  ...(await agentsInError(parts)),
]

async function lastRuns({ db }: FactParts): Promise<Fact[]> {
  const newest = (status: typeof FAILED) =>
    sql`(SELECT r.status, r.finished_at FROM run r WHERE r.status = ${status} ORDER BY r.requested_at DESC, r.run_id DESC LIMIT ${LAST_RUNS})`
  const { rows } = await db.query<{
    failed: number
    samples: number
  }>(sql`SELECT count(*) FILTER (WHERE r.status = ${FAILED}) AS failed, count(*) AS samples
    FROM (SELECT b.status FROM (${newest(COMPLETED)} UNION ALL ${newest(FAILED)}) b ORDER BY b.finished_at DESC LIMIT ${LAST_RUNS}) r`)
  const { failed = 0, samples = 0 } = rows[0] ?? {}
  return [{ condition: 'run_failures', resource: 'runs', value: samples > 0 ? failed / samples : 0, samples }]
}

/** From the request to the end, as the person who asked has waited; not while the run waited for a person. */
async function durations({ db, now }: FactParts): Promise<Fact[]> {
  const { rows } = await db.query<{ p95: number | null; samples: number }>(sql`SELECT count(*) AS samples,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM r.finished_at - r.requested_at)::float8 - r.parked_ms / 1000.0) AS p95
    FROM (SELECT r.finished_at, r.requested_at, r.parked_ms FROM run r WHERE r.status = ${COMPLETED} ORDER BY r.requested_at DESC, r.run_id DESC LIMIT ${NEWEST}) r
    WHERE r.finished_at > ${ago(now, HOUR)}`)
  const { p95, samples = 0 } = rows[0] ?? {}
  return [{ condition: 'run_p95', resource: 'runs', value: p95 ?? 0, samples }]
}

async function agentsInError({ db, standing }: FactParts): Promise<Fact[]> {
  const { rows } = await db.query<
    Row<'agent', 'slug' | 'failed_in_row'>
  >(sql`SELECT a.slug, greatest(a.failed_in_row, 1) AS failed_in_row FROM agent a
    WHERE a.status = ${state(agentMachine, 'error')}
    ORDER BY a.slug = ANY(${resourcesOf(standing, 'AgentFailing')}::text[]) DESC, a.slug LIMIT ${RESOURCES}`)
  return rows.map(({ slug, failed_in_row }) => ({
    condition: 'agent_failures',
    resource: slug,
    value: failed_in_row,
  }))
}
