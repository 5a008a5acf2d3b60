import { AggregatorRegistry, Registry } from 'prom-client'
import type { Row } from '#server/ledger/rows.ts'
import { CATALOGUE, declarationOf, type GaugeName, type LabelsOf } from './catalogue.ts'

type Labels = Readonly<Record<string, string>>
type Value = { labels: Labels; value: number; metricName?: string }

/** One value of a gauge at the moment of the scrape. */
export type Reading = { name: GaugeName; labels: Labels; value: number }

export const reading = <N extends GaugeName>(name: N, labels: LabelsOf<N>, value: number): Reading => ({
  name,
  labels,
  value,
})

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** The whole catalogue as Prometheus text, in its order; metrics without values are named all the same. */
export function render(
  readings: readonly Reading[],
  totals: readonly Row<'metric_total'>[],
): Promise<string> {
  const gauges = Map.groupBy(readings, ({ name }) => name as string)
  const stored = Map.groupBy(totals, ({ name }) => name)
  const metrics = Object.entries(CATALOGUE).map(([name, { type, help }]) => ({
    name,
    help,
    type,
    aggregator: 'sum',
    values: type === 'gauge' ? (gauges.get(name) ?? []) : pastValues(name, stored.get(name) ?? []),
  }))
  return AggregatorRegistry.aggregate([metrics]).metrics()
}

function pastValues(name: string, totals: readonly Row<'metric_total'>[]): Value[] {
  const declared = declarationOf(name)
  const zeros = declared?.zeros ?? (declared?.labels.length === 0 ? [{}] : [])
  const sets = Map.groupBy(totals, ({ labels }) => keyOf(labels))
  for (const labels of zeros) if (!sets.has(keyOf(labels))) sets.set(keyOf(labels), [])
  return [...sets].flatMap(([key, rows]) => {
    const labels: Labels = JSON.parse(key)
    if (declared?.buckets) return histogram(name, labels, declared.buckets, rows)
    return [{ labels, value: rows.reduce((all, { count }) => all + count, 0) }]
  })
}

/** Buckets count what is at most their bound; what was stored under bounds of an earlier version goes where it fits. */
function histogram(
  name: string,
  labels: Labels,
  buckets: readonly number[],
  rows: readonly Row<'metric_total', 'le' | 'count' | 'sum'>[],
): Value[] {
  const upTo = (bound: number) => rows.reduce((all, { le, count }) => (le <= bound ? all + count : all), 0)
  const bounds = [...buckets, Number.POSITIVE_INFINITY]
  const count = upTo(Number.POSITIVE_INFINITY)
  return [
    ...bounds.map((bound) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound) },
      value: upTo(bound),
    })),
    { metricName: `${name}_sum`, labels, value: rows.reduce((all, { sum }) => all + sum, 0) },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

const keyOf = (labels: Labels): string =>
  JSON.stringify(Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))))
