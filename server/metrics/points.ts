/**
 * The metrics as time series [metrics#series]: every difference to a total is also added to its minute and to its quarter of an hour, in the
 * same transaction, so a point counts as exactly as the totals do, whoever counts and wherever a process ends.
 */
import sql, { join } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { Total } from './meter.ts'

/** How long points are kept, by the seconds that each covers. */
export const STEPS = [
  { step: 60, keptSeconds: 86_400 },
  { step: 900, keptSeconds: 90 * 86_400 },
] as const
export type Step = (typeof STEPS)[number]['step']

/** Labels whose values are added together: the series are those of the whole installation, and their number is bounded. */
const LEFT_OUT = ['route', 'method', 'agent', 'worker', 'rule']

const kept = join(STEPS.map(({ step, keptSeconds }) => sql`(${step}::integer, ${keptSeconds}::integer)`))

/** Adds to the points of their time; part of the caller's transaction. What is older than a step is kept leaves no point of it. */
export async function addPoints(tx: Db, totals: readonly Total[]): Promise<void> {
  await tx.query(sql`INSERT INTO metric_point AS p (step, at, name, labels, le, count, sum)
    SELECT s.step, date_bin(make_interval(secs => s.step), i.at, 'epoch'), i.name, i.labels::jsonb - ${LEFT_OUT}::text[], i.le, sum(i.n)::bigint, sum(i.total)
    FROM unnest(${totals.map((t) => t.name)}::text[], ${totals.map((t) => JSON.stringify(t.labels))}::text[], ${totals.map((t) => t.le)}::float8[],
        ${totals.map((t) => t.count)}::bigint[], ${totals.map((t) => t.sum)}::float8[], ${totals.map((t) => t.at ?? null)}::timestamptz[]) AS raw(name, labels, le, n, total, happened)
      CROSS JOIN LATERAL (SELECT raw.name, raw.labels, raw.le, raw.n, raw.total, coalesce(raw.happened, now()) AS at) i
      CROSS JOIN (VALUES ${kept}) AS s(step, kept)
    WHERE i.at > now() - make_interval(secs => s.kept)
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (step, name, at, labels, le) DO UPDATE SET count = p.count + excluded.count, sum = p.sum + excluded.sum`)
}

/** Removes the points that have been kept long enough. */
export async function expirePoints(tx: Db): Promise<void> {
  await tx.query(sql`DELETE FROM metric_point p USING (VALUES ${kept}) AS s(step, kept)
    WHERE p.step = s.step AND p.at < date_bin(make_interval(secs => s.step), now(), 'epoch') - make_interval(secs => s.kept)`)
}
