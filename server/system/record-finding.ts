/**
 * What a probe found, in one statement under the lock of the component's row: the row as it is now, and, only where the state changed or nobody
 * had watched, the span that ended. Of several workers each change is recorded by one. Spans are kept a day longer than they are shown.
 */
import sql from 'sql-template-tag'
import { type Component, STALE_SECONDS } from '#contracts/system.contract.ts'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'

const KEPT_DAYS = 8

type Status = Row<'component_health'>['status']
type Found = Pick<Row<'component_health'>, 'component' | 'status' | 'message'> & { latency_ms: number }

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    component_span: { component: Component; status: Status }
  }
}

/** Stores the finding; a change of the state records an event with it. */
export function recordFinding(db: Db, found: Found): Promise<void> {
  return db.transaction(async (tx) => {
    const before = await storeFinding(tx, found)
    if (!before || before === found.status) return
    await recordEvent(tx, {
      name: 'health.changed',
      actor: SCHEDULER,
      resource: { type: 'component', id: found.component },
      from: before,
      to: found.status,
      ...(found.message ? { reason: found.message } : {}),
    })
  })
}

/** The status before; undefined for the first finding of a component. */
async function storeFinding(tx: Db, found: Found): Promise<Status | undefined> {
  const { component, status, latency_ms, message } = found
  const { rows } = await tx.query<{ before: Status | null }>(sql`WITH old AS MATERIALIZED (
      SELECT c.component, c.status, c.watched_since, c.checked_at,
        c.checked_at < clock_timestamp() - make_interval(secs => ${STALE_SECONDS}) AS unwatched
      FROM component_health c WHERE c.component = ${component} FOR UPDATE),
    ended AS MATERIALIZED (SELECT o.* FROM old o WHERE o.unwatched OR o.status <> ${status}),
    span AS (INSERT INTO component_span (component, status, since, until)
      SELECT e.component, e.status, e.watched_since, CASE WHEN e.unwatched THEN greatest(e.checked_at, e.watched_since)
        ELSE greatest(clock_timestamp(), e.watched_since) END FROM ended e ON CONFLICT DO NOTHING),
    expired AS (DELETE FROM component_span s USING ended e
      WHERE s.component = e.component AND s.until < clock_timestamp() - make_interval(days => ${KEPT_DAYS}))
    INSERT INTO component_health AS c (component, status, latency_ms, message, last_success_at)
    SELECT ${component}, ${status}, ${latency_ms}::float8, ${message}, CASE WHEN ${status === 'healthy'} THEN clock_timestamp() END
      FROM (VALUES (1)) one LEFT JOIN old ON true
    ON CONFLICT (component) DO UPDATE SET status = excluded.status, latency_ms = excluded.latency_ms, message = excluded.message,
      since = CASE WHEN c.status = excluded.status THEN c.since ELSE clock_timestamp() END,
      watched_since = CASE WHEN EXISTS (SELECT FROM ended) THEN clock_timestamp() ELSE c.watched_since END,
      checked_at = clock_timestamp(), last_success_at = coalesce(excluded.last_success_at, c.last_success_at)
    RETURNING (SELECT o.status FROM old o) AS before`)
  return rows[0]?.before ?? undefined
}
