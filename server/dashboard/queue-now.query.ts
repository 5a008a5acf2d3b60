import sql, { join, type Sql } from 'sql-template-tag'
import { type DashboardMetrics, WAIT_REASONS } from '#contracts/dashboard.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { ACTIVE_JOB_STATES, type JobState, jobMachine } from '#domain/job/job.machine.ts'
import type { JOB_WAIT_REASONS } from '#domain/job/job.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { state, states } from '#server/ledger/states.ts'

/** At most so many of each waiting state are counted, the oldest first, and ten times as many looked at: more would keep the page waiting. */
const CAP = 20_000
const LOOKED_AT = 10
const WAITING = ['PENDING', 'QUEUED', 'RETRY_BACKOFF'] as const satisfies readonly JobState[]

export type QueueNow = Omit<DashboardMetrics['queue'][number], 'points'>
export type QueueFilter = { tenant?: string | undefined; jobType?: string | undefined }
type Group = {
  tenant: string
  job_type: string
  active: boolean
  reason: (typeof JOB_WAIT_REASONS)[number] | null
  n: number
  oldest: Date
}

/** How many jobs of each tenant and type wait and why, and how many are being worked on. */
export async function queueNow(db: Db, filter: QueueFilter, cap = CAP): Promise<QueueNow[]> {
  const { rows } = await db.query<Group>(sql`WITH waiting AS (
      SELECT w.tenant, w.job_type, w.status, w.agent_slug, w.created_at FROM unnest(${[...WAITING]}::text[]) AS s(status),
        LATERAL (SELECT j.* FROM (SELECT tenant, job_type, status, agent_slug, created_at FROM job WHERE status = s.status
          ORDER BY created_at LIMIT ${cap * LOOKED_AT}) j WHERE ${jobIsAsked(filter)} LIMIT ${cap}) w)
    SELECT w.tenant, w.job_type, false AS active, CASE
        WHEN w.status = ${state(jobMachine, 'RETRY_BACKOFF')} THEN 'backoff'
        WHEN w.status = ${state(jobMachine, 'QUEUED')} AND w.agent_slug IN (SELECT h.agent_slug FROM job h WHERE h.status IN ${ACTIVE}) THEN 'agent_busy'
        WHEN w.agent_slug IN (SELECT a.slug FROM agent a WHERE a.status <> ${state(agentMachine, 'active')}) THEN 'agent_inactive' END AS reason,
      count(*) AS n, min(w.created_at) AS oldest
    FROM waiting w GROUP BY 1, 2, 3, 4
    UNION ALL SELECT j.tenant, j.job_type, true, NULL, count(*), min(j.created_at) FROM job j WHERE j.status IN ${ACTIVE} AND ${jobIsAsked(filter)} GROUP BY 1, 2`)
  const queues = Map.groupBy(rows, (g) => JSON.stringify([g.tenant, g.job_type]))
  return [...queues.entries()].sort().map(([, groups]) => queueOf(groups))
}

/** Whether a job `j` is of the tenant and the type that are asked for. */
export const jobIsAsked = ({ tenant, jobType }: QueueFilter): Sql =>
  join(
    [
      sql`true`,
      ...(tenant ? [sql`j.tenant = ${tenant}`] : []),
      ...(jobType ? [sql`j.job_type = ${jobType}`] : []),
    ],
    ' AND ',
  )

const ACTIVE = states(jobMachine, ...ACTIVE_JOB_STATES)

function queueOf(groups: readonly Group[]): QueueNow {
  const waiting = groups.filter((g) => !g.active)
  const total = (some: readonly Group[]) => some.reduce((sum, { n }) => sum + n, 0)
  const reasons = waiting.flatMap(({ reason, n }) => (reason ? [[reason, n] as const] : []))
  const oldest = waiting.map((g) => g.oldest.getTime())
  return {
    tenant: groups[0]?.tenant ?? '',
    jobType: groups[0]?.job_type ?? '',
    waiting: total(waiting),
    [WAIT_REASONS]: Object.fromEntries(reasons),
    active: total(groups) - total(waiting),
    oldest: oldest.length > 0 ? new Date(Math.min(...oldest)).toISOString() : null,
  }
}
