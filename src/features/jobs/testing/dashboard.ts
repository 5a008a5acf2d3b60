/** Metrics for component tests: one queue, in which something happened twice and nobody looked in between. */
import { type DashboardMetrics, dashboardMetrics } from '#contracts/dashboard.contract.ts'

const LENGTH = { '1h': 60, '24h': 1_440, '7d': 672 } as const
const END = Date.parse('2026-03-02T09:00:00.000Z')

export function someMetrics(window: DashboardMetrics['window']): DashboardMetrics {
  const step = window === '7d' ? 900 : 60
  const length = LENGTH[window]
  const recorded = Array.from({ length }, (_, n) => (n > 10 && n < 20 ? null : 0))
  const at = (...values: [number, number][]) =>
    recorded.map((value, n) => values.find(([position]) => position === n)?.[1] ?? value)
  const only = (...values: [number, number][]) => at(...values).map((value) => value || null)
  const queue = { tenant: 'default', jobType: 'RESEARCH' }
  return dashboardMetrics.parse({
    window,
    queue: [
      { ...queue, waiting: 2, held_by_reason: {}, active: 1, oldest: null, points: at([2, 3.5], [30, 7]) },
    ],
    throughput: [{ ...queue, count: 9, points: at([3, 4], [31, 5]) }],
    latency: {
      ...{ p50: 4, p95: 30, p99: 60, samples: 9 },
      points: { p50: only([3, 4], [31, 5]), p95: only([3, 30], [31, 12]), p99: only([3, 60], [31, 20]) },
    },
    start: {
      ...{ p50: 2, p95: 6, p99: 9, samples: 9 },
      points: { p50: only([3, 2]), p95: only([3, 6]), p99: only([3, 9]) },
    },
    depth: {
      ...{ waiting: at([2, 3.5], [30, 7]), retrying: at([2, 1]) },
      ...{ working: at([30, 2]), dead: at([30, 4]) },
    },
    failures: [{ code: 'NLM_TIMEOUT', count: 2, points: at([3, 2]) }],
    retries: 1,
    leases: { active: 1, extensions: 5, expired: 0 },
    incidents: [],
    dead: { now: 0, added: 0 },
    series: [],
    meta: {
      generated_at: new Date(END).toISOString(),
      from: new Date(END - length * step * 1_000).toISOString(),
      to: new Date(END).toISOString(),
      step_seconds: step,
      recorded,
    },
  })
}
