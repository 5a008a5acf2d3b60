import { Gauge, Registry } from 'prom-client'
import sql from 'sql-template-tag'
import { jobMachine } from '#domain/job/job.machine.ts'
import type { Machine } from '#domain/kernel/machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import { backlog } from '#server/outbox/consume.ts'
import type { Services } from '#server/services.ts'

const COUNT_CAP = 100_000

/** `/metrics` of the gateway in Prometheus text: states and backlogs, counted in the ledger at each scrape. */
export async function getMetrics({ db }: Pick<Services, 'db'>): Promise<string> {
  const registry = new Registry()
  await statusGauge(registry, db, {
    name: 'garden_jobs',
    help: 'Jobs by status',
    machine: jobMachine,
    table: 'job',
  })
  await statusGauge(registry, db, {
    name: 'garden_proposals',
    help: 'Proposals by status',
    machine: proposalMachine,
    table: 'proposal',
  })
  gauge(
    registry,
    'garden_outbox_backlog',
    'Sealed events not yet written to the object store',
    await backlog(db, 'projector'),
  )
  const { rows: aside } = await db.query<{ n: number }>(sql`SELECT count(*) AS n FROM projection_fault`)
  gauge(registry, 'garden_projection_faults', 'Things whose objects are set aside', aside[0]?.n ?? 0)
  const { rows } = await db.query<{ running: number; queued: number; age: number }>(sql`SELECT
    (SELECT count(*) FROM run WHERE status = ${state(runMachine, 'running')}) AS running, (SELECT count(*) FROM run WHERE status = ${state(runMachine, 'queued')}) AS queued,
    coalesce(extract(epoch FROM clock_timestamp() - (SELECT min(created_at) FROM proposal WHERE status = ${state(proposalMachine, 'PENDING')})), 0)::float8 AS age`)
  gauge(registry, 'garden_runs_running', 'Running runs', rows[0]?.running ?? 0)
  gauge(registry, 'garden_runs_queued', 'Queued runs', rows[0]?.queued ?? 0)
  gauge(registry, 'garden_proposal_age_seconds_max', 'Age of the oldest pending proposal', rows[0]?.age ?? 0)
  return registry.metrics()
}

const gauge = (registry: Registry, name: string, help: string, value: number) =>
  new Gauge({ name, help, registers: [registry] }).set(value)

async function statusGauge(
  registry: Registry,
  db: Db,
  g: { name: string; help: string; machine: Machine; table: 'job' | 'proposal' },
): Promise<void> {
  const metric = new Gauge({ name: g.name, help: g.help, labelNames: ['status'], registers: [registry] })
  const from = g.table === 'job' ? sql`job` : sql`proposal`
  for (const status of g.machine.states) {
    const { rows } = await db.query<{ n: number }>(
      sql`SELECT count(*) AS n FROM (SELECT 1 FROM ${from} WHERE status = ${status} LIMIT ${COUNT_CAP}) x`,
    )
    metric.set({ status }, rows[0]?.n ?? 0)
  }
}
