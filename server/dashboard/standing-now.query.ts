import sql from 'sql-template-tag'
import type { DashboardMetrics } from '#contracts/dashboard.contract.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { type AlertRow, IS_STANDING } from '#server/alerts/alert-row.ts'
import type { Db } from '#server/ledger/database.ts'
import { state, states } from '#server/ledger/states.ts'
import { jobIsAsked, type QueueFilter } from './queue-now.query.ts'

const MAX_INCIDENTS = 50
/** More dead jobs are not counted: a page that shows them has the list. */
const CAP = 100_000

type Incident = Pick<AlertRow, 'alert_id' | 'rule' | 'resource' | 'severity' | 'opened_at'>

/** The alerts that stand, the newest first. */
export async function standingIncidents(db: Db): Promise<DashboardMetrics['incidents']> {
  const { rows } = await db.query<Incident>(sql`SELECT a.alert_id, a.rule, a.resource, a.severity, a.opened_at
    FROM alert a WHERE a.status IN ${IS_STANDING} ORDER BY a.opened_at DESC, a.alert_id DESC LIMIT ${MAX_INCIDENTS}`)
  return rows.map((row) => ({ ...row, opened_at: row.opened_at.toISOString() }))
}

/** Dead jobs, and leases of jobs that have not expired, of the tenant and the type that are asked for. */
export async function jobsNow(db: Db, filter: QueueFilter): Promise<{ dead: number; leases: number }> {
  const { rows } = await db.query<{ dead: number; leases: number }>(sql`SELECT
    (SELECT count(*) FROM (SELECT 1 FROM job j WHERE j.status = ${state(jobMachine, 'DEAD')} AND ${jobIsAsked(filter)} LIMIT ${CAP}) d) AS dead,
    (SELECT count(*) FROM job j WHERE j.status IN ${states(jobMachine, ...ACTIVE_JOB_STATES)} AND j.lease_expires_at > clock_timestamp() AND ${jobIsAsked(filter)}) AS leases`)
  return rows[0] ?? { dead: 0, leases: 0 }
}
