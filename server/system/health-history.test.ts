/** The history of components over a real ledger: written at changes alone, by one of several workers, and unknown where nobody watched. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { healthHistory as answer } from '#contracts/health-history.contract.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { healthHistory } from './health-history.query.ts'
import { recordFinding } from './record-finding.ts'

const HOUR = 3_600_000
type Status = 'healthy' | 'degraded' | 'unavailable'

let test: TestDatabase
let one: Database
let two: Database
let web: Database
beforeAll(async () => {
  test = await createTestDatabase()
  one = openDatabase(test.workerUrl)
  two = openDatabase(test.workerUrl)
  web = openDatabase(test.webUrl)
})
afterAll(async () => {
  for (const db of [one, two, web]) await db?.close()
  await test?.drop()
})
beforeEach(() => onLedger(test.adminUrl, (db) => db.query(sql`TRUNCATE component_health, component_span`)))

const found = (status: Status, db: Database = one) =>
  recordFinding(db, { component: 'ledger', status, message: null, latency_ms: 1 })
/** Moves what is recorded into the past, as if so much time had gone by since. */
const later = async (ms: number) => {
  const ago = sql`make_interval(secs => ${ms / 1_000})`
  await one.query(
    sql`UPDATE component_health SET checked_at = checked_at - ${ago}, watched_since = watched_since - ${ago}`,
  )
  await onLedger(test.url, (db) =>
    db.query(sql`UPDATE component_span SET since = since - ${ago}, until = until - ${ago}`),
  )
}
/** Watched all the time up to now, in the same state. */
const watched = async (ms: number, status: Status) => {
  await later(ms)
  await one.query(sql`UPDATE component_health SET checked_at = clock_timestamp()`)
  await found(status)
}
/** Of their length half a minute counts: probes take their time. */
const spans = async () =>
  (
    await one.query<{ status: string; seconds: number }>(
      sql`SELECT status, (round(extract(epoch FROM until - since) / 30) * 30)::float8 AS seconds FROM component_span ORDER BY since`,
    )
  ).rows
const waiting = (many: number) =>
  onLedger(test.adminUrl, async (db) => {
    const { rows } = await db.query<{ n: number }>(sql`SELECT count(*) AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    return (rows[0]?.n ?? 0) >= many
  })
const history = async (window: '24h' | '7d' = '24h') => {
  const said = answer.parse(await healthHistory({ db: web }, { window }))
  const ledger = said.components.find(({ component }) => component === 'ledger')
  return { ...said, ledger, seen: new Set(ledger?.buckets) }
}

it('writes nothing while a component stays as it is, and its span when it changes', async () => {
  await found('healthy')
  await watched(HOUR, 'healthy')
  await watched(HOUR, 'healthy')
  expect(await spans()).toEqual([])
  await found('unavailable')
  await found('unavailable')
  expect(await spans()).toEqual([{ status: 'healthy', seconds: 7_200 }])
  const { ledger, periods, components } = await history()
  expect(ledger?.buckets.slice(-6)).toEqual(['unknown', 'unknown', 'ok', 'ok', 'ok', 'down'])
  expect(periods).toMatchObject([{ component: 'ledger', state: 'down', until: null }])
  expect(components.find(({ component }) => component === 'audit')).toMatchObject({ uptime: null })
})

it('does not know what nobody watched, whatever was found before and after', async () => {
  await found('healthy')
  await watched(2 * HOUR, 'healthy')
  await later(4 * HOUR)
  expect((await history()).ledger?.buckets.slice(-8)).toEqual(Array(8).fill('unknown'))
  await found('healthy')
  expect(await spans()).toEqual([{ status: 'healthy', seconds: 7_200 }])
  const { ledger, seen } = await history()
  expect(seen).toEqual(new Set(['unknown', 'ok']))
  expect(ledger?.uptime).toBe(1)
  expect(ledger?.seconds.unknown).toBeGreaterThan(21 * 3_600)
})

it('records a change once, however many workers find it', async () => {
  await found('healthy')
  await later(30_000)
  // All find it before the first has recorded it.
  const probes = await onLedger(test.url, (db) =>
    db.transaction(async (tx) => {
      await tx.query(sql`SELECT FROM component_health FOR UPDATE`)
      const started = [one, two, one].map((worker) => found('degraded', worker))
      await waitUntil(() => waiting(started.length), { what: 'probes that wait for the row' })
      return started
    }),
  )
  await Promise.all(probes)
  expect(await spans()).toEqual([{ status: 'healthy', seconds: 30 }])
  const { rows } = await one.query(
    sql`SELECT from_status, to_status FROM event WHERE name = 'health.changed' AND to_status = 'degraded'`,
  )
  expect(rows).toEqual([{ from_status: 'healthy', to_status: 'degraded' }])
})

it('keeps spans a day longer than they are shown', async () => {
  await found('unavailable')
  await found('healthy')
  await later(7 * 24 * HOUR + HOUR)
  await found('healthy')
  expect(await spans()).toHaveLength(2)
  expect((await history('7d')).periods).toEqual([])
  await later(24 * HOUR)
  await found('healthy')
  expect((await spans()).map(({ status }) => status)).toEqual(['healthy'])
})
