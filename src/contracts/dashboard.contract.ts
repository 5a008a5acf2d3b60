import { z } from 'zod'
import { SEVERITIES } from '#domain/alert/condition.ts'
import { RULE_NAMES } from '#domain/alert/conditions.ts'
import { JOB_TYPES, JOB_WAIT_REASONS } from '#domain/job/job.rules.ts'

/** What the metrics say over time, and how the queue stands now ([dashboard#purpose]). Times are ISO 8601 UTC, durations seconds. */
export const DASHBOARD_WINDOWS = ['1h', '24h', '7d'] as const

const NAME = '[a-z_]{1,64}'
export const dashboardRequest = z
  .object({
    window: z.enum(DASHBOARD_WINDOWS).default('1h'),
    tenant: z.string().min(1).max(64).optional(),
    jobType: z.enum(JOB_TYPES).optional(),
    /** More metrics by their names, with commas between them. */
    series: z
      .string()
      .regex(
        new RegExp(`^${NAME}(,${NAME}){0,9}$`),
        'must be up to ten names of metrics, with commas between them',
      )
      .optional(),
  })
  .strict()
export type DashboardRequest = z.output<typeof dashboardRequest>

/** Why jobs wait, as far as there is a reason beside their position in the queue; named as the orchestrator API has it. */
export const WAIT_REASONS = 'held_by_reason'

const count = z.number().int()
const seconds = z.number().nullable()
/** One value for each step of the window; null where nothing was recorded. */
const points = z.array(z.number().nullable())
const latency = z.object({
  ...{ p50: seconds, p95: seconds, p99: seconds, samples: count },
  points: z.object({ p50: points, p95: points, p99: points }),
})
const queue = { tenant: z.string(), jobType: z.string() }

export const dashboardMetrics = z.object({
  window: z.enum(DASHBOARD_WINDOWS),
  queue: z.array(
    z.object({
      ...queue,
      waiting: count,
      [WAIT_REASONS]: z.partialRecord(z.enum(JOB_WAIT_REASONS), count),
      active: count,
      /** When the longest waiting one was requested. */
      oldest: z.string().nullable(),
      points,
    }),
  ),
  /** Completed jobs. */
  throughput: z.array(z.object({ ...queue, count, points })),
  /** From the request of a job, or its latest requeue, to its artifact. */
  latency,
  /** From the queue to a worker: of jobs that were picked up. */
  start: latency,
  /** Jobs by groups of states, whatever is asked for: PENDING and QUEUED; RETRY_BACKOFF; those being worked on; DEAD. */
  depth: z.object({ waiting: points, retrying: points, working: points, dead: points }),
  /** Attempts that failed, by code. */
  failures: z.array(z.object({ code: z.string(), count, points })),
  retries: count,
  /** Leases of jobs that stand now; renewals also of runs and of every type; expiries of everything, whatever is asked for. */
  leases: z.object({ active: count, extensions: count, expired: count }),
  /** Alerts whose condition holds, whatever is asked for, the newest first, at most 50. */
  incidents: z.array(
    z.object({
      ...{ alert_id: z.string(), resource: z.string(), opened_at: z.string() },
      ...{ rule: z.enum(RULE_NAMES), severity: z.enum(SEVERITIES) },
    }),
  ),
  /** Dead jobs now, and those that became dead in the window, of every tenant. */
  dead: z.object({ now: count, added: count }),
  /** The metrics that were asked for, a row for each set of labels; of a histogram how often it observed, and its 95th percentile. */
  series: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['gauge', 'counter', 'histogram']),
      labels: z.record(z.string(), z.string()),
      points,
      p95: points.optional(),
    }),
  ),
  /** The steps of all points: they begin at `from`, and each is `step_seconds` long. The step that is under way is left out. */
  meta: z.object({
    ...{ generated_at: z.string(), from: z.string(), to: z.string(), step_seconds: count },
    /** Nought for each step in which a worker recorded how things stood, null for the others. */
    recorded: points,
  }),
})
export type DashboardMetrics = z.infer<typeof dashboardMetrics>
