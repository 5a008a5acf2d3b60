import sql from 'sql-template-tag'
import type { HealthHistory, HealthHistoryRequest } from '#contracts/health-history.contract.ts'
import { COMPONENTS, NOT_CONFIGURED, STALE_SECONDS } from '#contracts/system.contract.ts'
import { bucketStates, type Span, timesOf, uptimeOf } from '#domain/health/uptime.rules.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'

const HOUR_MS = 3_600_000
/** Whole buckets in half an hour and in four hours. */
export const WINDOWS = {
  '24h': { ms: 24 * HOUR_MS, buckets: 48 },
  '7d': { ms: 168 * HOUR_MS, buckets: 42 },
} as const satisfies Record<HealthHistoryRequest['window'], { ms: number; buckets: number }>
const MAX_PERIODS = 200

const STATES = { healthy: 'ok', degraded: 'degraded', unavailable: 'down', not_configured: null } as const

type SpanRow = Row<'component_span'> & { current: boolean }

/** How each component was in the window: from the spans that were recorded and the one that goes on. */
export async function healthHistory(
  { db }: { db: Db },
  { window }: HealthHistoryRequest,
  moment?: Date,
): Promise<HealthHistory> {
  const now = (moment ?? (await ledgerNow(db))).getTime()
  const { ms, buckets } = WINDOWS[window]
  const frame = { from: now - ms, to: now, buckets }
  const rows = await spanRows(db, new Date(frame.from), new Date(now))
  const own = COMPONENTS.filter((one) => !NOT_CONFIGURED.includes(one))
  return {
    window,
    from: new Date(frame.from).toISOString(),
    to: new Date(frame.to).toISOString(),
    bucket_seconds: ms / buckets / 1_000,
    components: own.map((component) => {
      const spans = rows.filter((row) => row.component === component).flatMap(spanOf)
      const times = timesOf(spans, frame)
      const seconds = Object.fromEntries(
        Object.entries(times).map(([state, time]) => [state, Math.round(time / 1_000)]),
      ) as typeof times
      return { component, uptime: uptimeOf(times), buckets: bucketStates(spans, frame), seconds }
    }),
    periods: periodsOf(rows),
  }
}

/** The span that goes on lasts up to now while its newest probe is fresh, and up to that probe otherwise. */
async function spanRows(db: Db, from: Date, now: Date): Promise<SpanRow[]> {
  const { rows } =
    await db.query<SpanRow>(sql`SELECT s.component, s.status, s.since, s.until, false AS current
      FROM component_span s WHERE s.until > ${from}
    UNION ALL SELECT c.component, c.status, c.watched_since,
      CASE WHEN c.checked_at < ${now}::timestamptz - make_interval(secs => ${STALE_SECONDS}) THEN c.checked_at ELSE greatest(${now}, c.checked_at) END,
      c.checked_at >= ${now}::timestamptz - make_interval(secs => ${STALE_SECONDS})
      FROM component_health c`)
  return rows
}

function spanOf({ status, since, until }: SpanRow): Span[] {
  const state = STATES[status]
  return state ? [{ state, since: since.getTime(), until: until.getTime() }] : []
}

const periodsOf = (rows: readonly SpanRow[]): HealthHistory['periods'] =>
  rows
    .toSorted((a, b) => b.since.getTime() - a.since.getTime())
    .flatMap(({ component, status, since, until, current }) => {
      const state = STATES[status]
      return state === null || state === 'ok'
        ? []
        : [{ component, state, since: since.toISOString(), until: current ? null : until.toISOString() }]
    })
    .slice(0, MAX_PERIODS)
