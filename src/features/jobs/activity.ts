import type { DashboardMetrics } from '#contracts/dashboard.contract.ts'

type Values = readonly (number | null)[]

/** What the charts draw: a value for each step, null where nothing is known. */
export type Activity = {
  times: number[]
  waiting: Values
  retrying: Values
  working: Values
  dead: Values
  completed: Values
  failed: Values
  p50: Values
  p95: Values
  startP50: Values
  startP95: Values
}
/** Some steps of it together, as a line of the table. */
export type ActivityRow = {
  from: number
  waiting: number | null
  completed: number | null
  failed: number | null
  retrying: number | null
  working: number | null
  dead: number | null
  p95: number | null
  startP95: number | null
}

export const WINDOWS = ['1h', '24h', '7d'] as const satisfies readonly DashboardMetrics['window'][]

/** How much time a line of the table covers, so that any window has a few dozen of them at most. */
const ROW_SECONDS: Record<DashboardMetrics['window'], number> = { '1h': 300, '24h': 3_600, '7d': 21_600 }

/** The series of all queues together. */
export function activityOf(metrics: DashboardMetrics): Activity {
  const { meta, throughput, failures, latency, start, depth } = metrics
  const { recorded, step_seconds: step } = meta
  const from = Date.parse(meta.from)
  const all = (series: readonly { points: Values }[]) =>
    added([recorded, ...series.map(({ points }) => points)])
  return {
    times: recorded.map((_, n) => from + n * step * 1_000),
    ...depth,
    completed: all(throughput),
    failed: all(failures),
    p50: latency.points.p50,
    p95: latency.points.p95,
    startP50: start.points.p50,
    startP95: start.points.p95,
  }
}

/** The same for reading, the newest first. */
export function rowsOf(activity: Activity, { window, meta }: DashboardMetrics): ActivityRow[] {
  const size = ROW_SECONDS[window] / meta.step_seconds
  const starts = activity.times.filter((_, n) => n % size === 0)
  return starts
    .map((from, row) => {
      const of = (values: Values) => values.slice(row * size, (row + 1) * size)
      return {
        from,
        completed: sumOf(of(activity.completed)),
        failed: sumOf(of(activity.failed)),
        waiting: highest(of(activity.waiting)),
        retrying: highest(of(activity.retrying)),
        working: highest(of(activity.working)),
        dead: highest(of(activity.dead)),
        p95: highest(of(activity.p95)),
        startP95: highest(of(activity.startP95)),
      }
    })
    .reverse()
}

/** The largest known value. */
export function highest(values: Values): number | null {
  const known = values.filter((value) => value !== null)
  return known.length > 0 ? Math.max(...known) : null
}

/** The known values together; unknown where all are. */
const sumOf = (values: Values): number | null =>
  values.reduce<number | null>((sum, value) => (value === null ? sum : (sum ?? 0) + value), null)

/** Step by step. */
const added = ([first = [], ...more]: readonly Values[]): (number | null)[] =>
  first.map((value, n) => sumOf([value, ...more.map((values) => values[n] ?? null)]))
