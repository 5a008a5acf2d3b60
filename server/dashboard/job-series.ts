/** What the points of the job metrics say: pure, for the answer of the dashboard. */
import { type DashboardMetrics, WAIT_REASONS } from '#contracts/dashboard.contract.ts'
import { ACTIVE_JOB_STATES, type JobState } from '#domain/job/job.machine.ts'
import { CATALOGUE, declarationOf, type MetricName } from '#server/metrics/catalogue.ts'
import type { Track } from '#server/metrics/points.query.ts'
import {
  type Bucket,
  bucketsOf,
  countsOf,
  meansOf,
  quantile,
  type Values,
} from '#server/metrics/series.rules.ts'
import type { QueueNow } from './queue-now.query.ts'

/** A gauge that every sample has: where it has a point, the step was recorded. */
export const RECORDED = 'garden_runs_running' satisfies MetricName
export const JOB_SERIES = [
  ...['job_queue_depth', 'garden_job_seconds', 'job_failures_total', 'job_retry_total'],
  ...['garden_jobs', 'garden_job_start_seconds'],
  ...['lease_extensions_total', 'garden_lease_expired_total', 'garden_job_dead_total', RECORDED],
] as MetricName[]

/** Groups of states that an operator looks at together; jobs that ended are in none. */
const GROUPS = {
  waiting: ['PENDING', 'QUEUED'],
  retrying: ['RETRY_BACKOFF'],
  working: ACTIVE_JOB_STATES,
  dead: ['DEAD'],
} as const satisfies Record<keyof DashboardMetrics['depth'], readonly JobState[]>

const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const

type JobParts = Pick<
  DashboardMetrics,
  'queue' | 'throughput' | 'latency' | 'start' | 'depth' | 'failures' | 'retries'
> & {
  extensions: number
  expired: number
  died: number
}

/** The job metrics of a window; `queues` are those that stand now, `samples` says of which steps anything is known. */
export function jobSeries(tracks: readonly Track[], queues: readonly QueueNow[], samples: Values): JobParts {
  const of = (name: MetricName) => tracks.filter((track) => track.name === name)
  const counted = (name: MetricName) => sumOf(countsOf([], of(name)))
  return {
    queue: queueSeries(samples, of('job_queue_depth'), queues),
    throughput: byLabels(of('garden_job_seconds')).map(({ labels, group }) => ({
      ...queueLabels(labels),
      ...countedIn(samples, group),
    })),
    latency: latencyOf(samples.length, of('garden_job_seconds'), CATALOGUE.garden_job_seconds.buckets),
    start: latencyOf(
      samples.length,
      of('garden_job_start_seconds'),
      CATALOGUE.garden_job_start_seconds.buckets,
    ),
    depth: depthOf(samples, of('garden_jobs')),
    failures: [...Map.groupBy(of('job_failures_total'), ({ labels }) => labels.code ?? '')]
      .map(([code, group]) => ({ code, ...countedIn(samples, group) }))
      .sort((a, b) => b.count - a.count),
    retries: counted('job_retry_total'),
    extensions: counted('lease_extensions_total'),
    expired: counted('garden_lease_expired_total'),
    died: counted('garden_job_dead_total'),
  }
}

/** The queues of the window and those that stand now, which may be others. */
function queueSeries(samples: Values, tracks: readonly Track[], now: readonly QueueNow[]): JobParts['queue'] {
  const past = byLabels(tracks).map(({ labels, group }) => ({ ...queueLabels(labels), group }))
  const gone = past.filter((p) => !now.some((q) => q.tenant === p.tenant && q.jobType === p.jobType))
  const empty = { waiting: 0, [WAIT_REASONS]: {}, active: 0, oldest: null }
  return [...now, ...gone.map(({ tenant, jobType }) => ({ tenant, jobType, ...empty }))].map((queue) => {
    const own = past.filter((p) => p.tenant === queue.tenant && p.jobType === queue.jobType)
    return {
      ...queue,
      points: meansOf(
        samples,
        own.flatMap(({ group }) => group),
      ),
    }
  })
}

function depthOf(samples: Values, tracks: readonly Track[]): DashboardMetrics['depth'] {
  const group = (name: keyof typeof GROUPS) =>
    meansOf(
      samples,
      tracks.filter(({ labels }) => GROUPS[name].some((state) => state === labels.status)),
    )
  return {
    waiting: group('waiting'),
    retrying: group('retrying'),
    working: group('working'),
    dead: group('dead'),
  }
}

function latencyOf(
  length: number,
  tracks: readonly Track[],
  bounds: readonly number[],
): DashboardMetrics['latency'] {
  const steps = bucketsOf(length, tracks)
  const all = steps.flat()
  const at = (share: number, buckets: readonly Bucket[]) => quantile(share, buckets, bounds)
  const { p50, p95, p99 } = PERCENTILES
  const over = (share: number) => steps.map((buckets) => at(share, buckets))
  return {
    ...{ p50: at(p50, all), p95: at(p95, all), p99: at(p99, all) },
    samples: all.reduce((sum, { count }) => sum + count, 0),
    points: { p50: over(p50), p95: over(p95), p99: over(p99) },
  }
}

/** Any metric of the catalogue, a row for each set of its labels. */
export function anySeries(
  name: MetricName,
  all: readonly Track[],
  samples: Values,
): DashboardMetrics['series'] {
  const { type } = CATALOGUE[name]
  const tracks = all.filter((track) => track.name === name)
  const bounds = declarationOf(name)?.buckets
  const p95Of = (group: readonly Track[], of: readonly number[]) =>
    bucketsOf(samples.length, group).map((buckets) => quantile(PERCENTILES.p95, buckets, of))
  return byLabels(tracks).map(({ labels, group }) => ({
    ...{ name, type, labels },
    points: type === 'gauge' ? meansOf(samples, group) : countsOf(samples, group),
    ...(bounds ? { p95: p95Of(group, bounds) } : {}),
  }))
}

type Labels = Track['labels']
const queueLabels = ({ tenant = '', jobType = '' }: Labels) => ({ tenant, jobType })

function byLabels(tracks: readonly Track[]): { labels: Labels; group: Track[] }[] {
  const groups = Map.groupBy(tracks, ({ labels }) => JSON.stringify(labels))
  return [...groups].map(([key, group]) => ({ labels: JSON.parse(key) as Labels, group }))
}

function countedIn(samples: Values, tracks: readonly Track[]): { count: number; points: Values } {
  const points = countsOf(samples, tracks)
  return { count: sumOf(points), points }
}

const sumOf = (values: Values): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
