import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { MetricName } from './catalogue.ts'
import type { Step } from './points.ts'

/** The points of one row of a metric: their positions in the window, with what each added or showed. */
export type Track = {
  name: string
  labels: Readonly<Record<string, string>>
  le: number
  positions: number[]
  counts: number[]
  sums: number[]
}

/** Steps from `from` on, in whole steps; `to` is the end of the last. */
export type Window = { step: Step; from: Date; to: Date; length: number }

/** The window of the last `length` whole steps; the one that is under way is left out. */
export function windowOf(now: Date, step: Step, length: number): Window {
  const end = Math.floor(now.getTime() / 1_000 / step) * step
  return { step, length, from: new Date((end - step * length) * 1_000), to: new Date(end * 1_000) }
}

/** The points of these metrics in the window, read by their index. */
export async function readPoints(db: Db, window: Window, names: readonly MetricName[]): Promise<Track[]> {
  return (await db.query<Track>(pointsStatement(window, names))).rows
}

/** What `readPoints` asks; named for the test of its plan. */
export const pointsStatement = ({ step, from, to }: Window, names: readonly MetricName[]): Sql =>
  sql`SELECT p.name, p.labels, p.le,
      array_agg((date_part('epoch', p.at - ${from}::timestamptz) / ${step})::integer) AS positions,
      array_agg(p.count::float8) AS counts, array_agg(p.sum) AS sums
    FROM metric_point p
    WHERE p.step = ${step} AND p.name = ANY(${[...names]}::text[]) AND p.at >= ${from} AND p.at < ${to}
    GROUP BY p.name, p.labels, p.le`
