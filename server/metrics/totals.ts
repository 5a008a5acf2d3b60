import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { type Meter, processMeter, type Total } from './meter.ts'
import { addPoints } from './points.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    metric_total: { labels: Record<string, string> }
  }
}

/**
 * Adds differences to the totals and to the points of their time. Each statement takes its rows in the order of their key, so that two
 * processes never wait for each other in a circle; both are one transaction, so the points are the totals' own differences.
 */
export async function addTotals(db: Db, totals: readonly Total[]): Promise<void> {
  if (totals.length === 0) return
  await db.transaction(async (tx) => {
    await tx.query(sql`INSERT INTO metric_total AS t (name, labels, le, count, sum)
      SELECT i.name, i.labels::jsonb, i.le, sum(i.n)::bigint, sum(i.total)
      FROM unnest(${totals.map((t) => t.name)}::text[], ${totals.map((t) => JSON.stringify(t.labels))}::text[], ${totals.map((t) => t.le)}::float8[],
        ${totals.map((t) => t.count)}::bigint[], ${totals.map((t) => t.sum)}::float8[]) AS i(name, labels, le, n, total)
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (name, labels, le) DO UPDATE SET count = t.count + excluded.count, sum = t.sum + excluded.sum`)
    await addPoints(tx, totals)
  })
}

/** Adds what this process has measured to the totals; what could not be added is kept for the next time. */
export async function flushMeter(db: Db, meter: Meter = processMeter()): Promise<void> {
  const taken = meter.take()
  try {
    await addTotals(db, taken)
  } catch (error) {
    for (const total of taken) meter.add(total)
    throw error
  }
}

/** All totals of the installation. */
export async function readTotals(db: Db): Promise<Row<'metric_total'>[]> {
  const { rows } = await db.query<Row<'metric_total'>>(
    sql`SELECT name, labels, le, count, sum FROM metric_total`,
  )
  return rows
}
