import { describe, expect, it } from 'vitest'
import { activityOf, rowsOf } from './activity.ts'
import { someMetrics } from './testing/dashboard.ts'

describe('the activity', () => {
  it('adds all queues and keeps gaps', () => {
    const metrics = someMetrics('1h')
    const [queue] = metrics.throughput
    const two = activityOf({ ...metrics, throughput: [queue, queue].flatMap((q) => q ?? []) })
    expect(two.completed.slice(2, 5)).toEqual([0, 8, 0])
    expect(two.waiting.slice(1, 4)).toEqual([0, 3.5, 0])
    expect(two.completed.slice(10, 12)).toEqual([0, null])
    expect(activityOf({ ...metrics, throughput: [] }).completed.slice(10, 12)).toEqual([0, null])
    expect(two.times[0]).toBe(Date.parse(metrics.meta.from))
    expect((two.times[1] ?? 0) - (two.times[0] ?? 0)).toBe(60_000)
  })

  it.each([
    ['1h', 12],
    ['24h', 24],
    ['7d', 28],
  ] as const)('of %s has %i lines, and loses nothing', (window, lines) => {
    const metrics = someMetrics(window)
    const rows = rowsOf(activityOf(metrics), metrics)
    expect(rows).toHaveLength(lines)
    expect(rows.reduce((sum, { completed }) => sum + (completed ?? 0), 0)).toBe(9)
    expect(rows.reduce((sum, { failed }) => sum + (failed ?? 0), 0)).toBe(2)
    expect(Math.max(...rows.map(({ p95 }) => p95 ?? 0))).toBe(30)
    expect(rows.at(-1)?.from).toBe(Date.parse(metrics.meta.from))
  })

  it('says nothing of a time of which nothing is known', () => {
    const metrics = someMetrics('1h')
    const rows = rowsOf(activityOf(metrics), metrics).reverse()
    expect(rows[3]).toMatchObject({ waiting: null, completed: null, failed: null, p95: null })
    expect(rows[2]).toMatchObject({ waiting: 0, completed: 0, p95: null })
  })
})
