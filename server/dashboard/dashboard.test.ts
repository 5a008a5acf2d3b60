/** The metrics as time series, over a real ledger: what is counted into which minute, once, and what the dashboard says of it. */
import { tmpdir } from 'node:os'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type DashboardRequest, dashboardMetrics, dashboardRequest } from '#contracts/dashboard.contract.ts'
import { jobRates } from '#server/jobs/job-rates.query.ts'
import { addAgent, addJob, hold } from '#server/jobs/testing/queue-room.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import type { Total } from '#server/metrics/meter.ts'
import { pointsStatement, windowOf } from '#server/metrics/points.query.ts'
import { expirePoints } from '#server/metrics/points.ts'
import { addTotals } from '#server/metrics/totals.ts'
import { readGauges } from '#server/system/read-gauges.query.ts'
import { recordGauges } from '#server/system/record-gauges.ts'
import { getDashboardMetrics, WINDOWS } from './get-dashboard-metrics.query.ts'
import { JOB_SERIES } from './job-series.ts'
import { queueNow } from './queue-now.query.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const env = { BLOOM_HOME: tmpdir() }
/** The last whole minute: points of the future would be in no window. */
const NOW = new Date(Math.floor(Date.now() / MINUTE) * MINUTE)
const ago = (ms: number) => new Date(NOW.getTime() - ms)

let test: TestDatabase
let one: Database
let two: Database
beforeAll(async () => {
  test = await createTestDatabase()
  one = openDatabase(test.workerUrl)
  two = openDatabase(test.workerUrl)
})
afterAll(async () => {
  await one?.close()
  await two?.close()
  await test?.drop()
})
beforeEach(async () => {
  const admin = openDatabase(test.adminUrl)
  await admin.query(sql`TRUNCATE metric_point, metric_total, metric_sample`)
  await admin.close()
})

const retried = (more: Partial<Total> = {}): Total => ({
  ...{ name: 'job_retry_total', labels: { jobType: 'RESEARCH', tenant: 'default' } },
  ...{ le: Number.POSITIVE_INFINITY, count: 1, sum: 1, ...more },
})
const took = (le: number, count: number, at: Date): Total =>
  retried({ name: 'garden_job_seconds', le, count, sum: le * count, at })

async function points(name: string) {
  const { rows } = await one.query<Row<'metric_point'>>(
    sql`SELECT * FROM metric_point WHERE name = ${name} ORDER BY step, at, le`,
  )
  return rows.map(({ step, at, labels, count }) => ({ step, at: at.getTime(), labels, count }))
}
async function ask(input: Partial<DashboardRequest> = {}, moment = NOW) {
  const answer = await getDashboardMetrics({ db: one }, dashboardRequest.parse(input), moment)
  if (!answer.ok) throw new Error(JSON.stringify(answer.refusal))
  return dashboardMetrics.parse(answer.value)
}

it('adds each difference to its minute and its quarter of an hour, once, whoever adds', async () => {
  const at = ago(2 * HOUR)
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      addTotals(n % 2 ? one : two, [retried({ at }), retried({ count: 2, at })]),
    ),
  )
  const labels = { jobType: 'RESEARCH', tenant: 'default' }
  const quarter = Math.floor(at.getTime() / (15 * MINUTE)) * 15 * MINUTE
  expect(await points('job_retry_total')).toEqual([
    { step: 60, at: at.getTime(), labels, count: 60 },
    { step: 900, at: quarter, labels, count: 60 },
  ])
  const { rows } = await one.query(sql`SELECT count FROM metric_total`)
  expect(rows).toEqual([{ count: 60 }])
})

it('adds nothing where its transaction ends in between', async () => {
  const cut = one.transaction(async (tx) => {
    await addTotals(tx, [retried()])
    throw new Error('killed')
  })
  await expect(cut).rejects.toThrow('killed')
  expect(await points('job_retry_total')).toEqual([])
})

it('keeps no label that grows with the garden, and nothing longer than it says', async () => {
  const labels = { route: '/api/v1/jobs', method: 'GET', code: '200' }
  const request = retried({ name: 'garden_http_requests_total', labels })
  await addTotals(one, [
    request,
    { ...request, labels: { ...labels, route: '/api/v1/runs' } },
    { ...request, at: ago(3 * 24 * HOUR) },
    { ...request, at: ago(91 * 24 * HOUR) },
  ])
  const found = await points('garden_http_requests_total')
  expect(found.map((p) => [p.step, p.count])).toEqual([
    [60, 2],
    [900, 1],
    [900, 2],
  ])
  expect(found.map((p) => p.labels)).toEqual(Array(3).fill({ code: '200' }))
  await one.query(sql`UPDATE metric_point SET at = at - interval '91 days' WHERE count = 2`)
  await expirePoints(one)
  expect((await points('garden_http_requests_total')).map((p) => [p.step, p.count])).toEqual([[900, 1]])
})

it('records each minute once for all workers, and again after one that died', async () => {
  const dies = {
    ...one,
    transaction: (work: (tx: never) => Promise<unknown>) =>
      one.transaction(async (tx) => {
        await work(tx as never)
        throw new Error('killed')
      }),
  } as unknown as Database
  await expect(recordGauges({ db: dies, env }, NOW)).rejects.toThrow('killed')
  const looks = await Promise.all([one, two, one, two].map((db) => recordGauges({ db, env }, NOW)))
  expect(looks.filter(Boolean)).toHaveLength(1)
  expect(await recordGauges({ db: two, env }, NOW)).toBe(false)
  expect(await recordGauges({ db: two, env }, ago(MINUTE))).toBe(false)
  const found = await points('garden_runs_running')
  expect(found.map((p) => [p.step, p.count])).toEqual([
    [60, 1],
    [900, 1],
  ])
  expect(await points('garden_worker_heartbeat_age_seconds')).toEqual([])
})

it('records nothing of each project, so that no project has points of its own', async () => {
  await onLedger(test.adminUrl, (admin) =>
    admin.transaction(async (tx) => {
      // Without the projects themselves.
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      await tx.query(sql`INSERT INTO membridge_lease (canonical_id, lease_state, lock_state, epoch, term, remaining_seconds, observed_at)
        SELECT 'project-' || n, 'valid', 'active', n, n, 60, clock_timestamp() FROM generate_series(1, 5) n`)
    }),
  )
  const read = await readGauges({ db: one, env })
  expect(read.filter(({ labels }) => 'project' in labels)).toHaveLength(20)
  await recordGauges({ db: one, env }, NOW)
  const { rows } = await one.query(
    sql`SELECT name FROM metric_point WHERE name LIKE 'garden_leadership%' OR name = 'garden_push_lock_held' OR labels ? 'project'`,
  )
  expect(rows).toEqual([])
})

it('says how the window went, null where no worker looked', async () => {
  for (const minutes of [3, 2]) await recordGauges({ db: one, env }, ago(minutes * MINUTE))
  const failed = {
    name: 'job_failures_total',
    labels: { jobType: 'BRIEF', tenant: 'acme', code: 'NLM_TIMEOUT' },
  } as const
  await addTotals(one, [
    took(5, 4, ago(2 * MINUTE)),
    took(60, 1, ago(MINUTE)),
    retried({ ...failed, count: 3, at: ago(2 * MINUTE) }),
    retried({ at: ago(2 * HOUR) }),
  ])
  const hour = await ask({ series: 'garden_runs_running,garden_job_seconds' })
  expect(hour.throughput).toMatchObject([{ jobType: 'RESEARCH', count: 5 }])
  expect(hour.throughput[0]?.points.slice(-4)).toEqual([null, 0, 4, 1])
  expect(hour.latency).toMatchObject({ p50: 3.5, samples: 5 })
  expect(hour.latency.points.p95.slice(-3)).toEqual([null, 4.8, 58.5])
  expect(hour.meta.recorded.slice(-4)).toEqual([null, 0, 0, null])
  expect(hour.failures).toMatchObject([{ code: 'NLM_TIMEOUT', count: 3 }])
  expect(hour.retries).toBe(0)
  expect(hour.series.map(({ name, type }) => [name, type])).toEqual([
    ['garden_runs_running', 'gauge'],
    ['garden_job_seconds', 'histogram'],
  ])
  expect(hour.meta).toMatchObject({ from: ago(HOUR).toISOString(), to: NOW.toISOString(), step_seconds: 60 })
  expect((await ask({ window: '24h' })).retries).toBe(1)
  expect((await ask({ window: '24h', tenant: 'acme' })).throughput).toEqual([])
  expect((await ask({ window: '24h', jobType: 'RESEARCH' })).failures).toEqual([])
  const week = await ask({ window: '7d' }, new Date(NOW.getTime() + 15 * MINUTE))
  expect(week.throughput[0]?.points.reduce((sum: number, n) => sum + (n ?? 0), 0)).toBe(5)
})

it('says how deep the queue was by groups of states, and how long jobs waited for a worker', async () => {
  const depths = { PENDING: 2, QUEUED: 3, RETRY_BACKOFF: 4, NOTEBOOKLM_CALL: 1, DEAD: 7, COMPLETE: 90 }
  await recordGauges({ db: one, env }, ago(3 * MINUTE))
  const at = ago(2 * MINUTE)
  const known = { name: 'garden_runs_running', labels: {}, count: 1, sum: 0, at } as const
  const read = (status: string, sum: number) =>
    retried({ ...known, name: 'garden_jobs', labels: { status }, sum })
  await addTotals(one, [
    retried(known),
    ...Object.entries(depths).map(([status, sum]) => read(status, sum)),
    retried({ name: 'garden_job_start_seconds', le: 10, count: 4, sum: 28, at }),
  ])
  const { depth, start } = await ask()
  expect(Object.values(depth).map((points) => points.at(-2))).toEqual([5, 4, 1, 7])
  expect(depth.waiting.at(-1)).toBeNull()
  expect(start).toMatchObject({ samples: 4, p50: 7.5 })
  expect(start.points.p95.slice(-3)).toEqual([null, 9.75, null])
})

it('says how many jobs entered and left each state in the last hour', async () => {
  const moved = (from: string, to: string, count: number, minutes: number) =>
    retried({ name: 'garden_job_transitions_total', labels: { from, to }, count, at: ago(minutes * MINUTE) })
  await addTotals(one, [
    moved('none', 'PENDING', 5, 59),
    moved('PENDING', 'QUEUED', 4, 30),
    moved('QUEUED', 'CONTEXT_ASSEMBLY', 3, 1),
    moved('RETRY_BACKOFF', 'QUEUED', 2, 1),
    moved('none', 'PENDING', 50, 61),
    moved('none', 'PENDING', 50, 0),
  ])
  const { by_status, from, to } = await jobRates({ db: one }, NOW)
  expect(by_status).toMatchObject({
    ...{ PENDING: { in: 5, out: 4 }, QUEUED: { in: 6, out: 3 }, CONTEXT_ASSEMBLY: { in: 3, out: 0 } },
    ...{ RETRY_BACKOFF: { in: 0, out: 2 }, DEAD: { in: 0, out: 0 } },
  })
  expect([from, to]).toEqual([ago(HOUR).toISOString(), NOW.toISOString()])
})

it('says how the queue stands, and refuses a metric that there is not', async () => {
  await addAgent(one, 'resting')
  const id = await addJob(one)
  const { queue } = await ask()
  expect(queue).toMatchObject([{ jobType: 'RESEARCH', tenant: 'default', waiting: 1, active: 0 }])
  expect(queue[0]?.points).toHaveLength(60)
  const { rows } = await one.query<{ created_at: Date }>(sql`SELECT created_at FROM job WHERE job_id = ${id}`)
  expect(queue[0]?.oldest).toBe(rows[0]?.created_at.toISOString())
  const unknown = await getDashboardMetrics({ db: one }, { window: '1h', series: 'garden_wishes' })
  expect(unknown).toMatchObject({ refusal: { code: 'VALIDATION_FAILED', details: [{ field: 'series' }] } })
})

it('counts what stands of the type that is asked for, also behind many of another', async () => {
  const [leased, dead] = [await addJob(one), await addJob(one)]
  await hold({ db: one, database: one }, leased)
  const admin = openDatabase(test.adminUrl, { connections: 1 })
  await admin.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(sql`UPDATE job SET status = 'DEAD', failure_kind = 'exhausted' WHERE job_id = ${dead}`)
  })
  await admin.close()
  for (let n = 0; n < 3; n++) await addJob(one)
  await one.query(sql`UPDATE job SET job_type = 'BRIEF' WHERE job_id = ${await addJob(one)}`)
  expect(await queueNow(one, { jobType: 'BRIEF' }, 2)).toMatchObject([{ jobType: 'BRIEF', waiting: 1 }])
  expect(await queueNow(one, { jobType: 'RESEARCH' }, 2)).toMatchObject([{ waiting: 2 }])
  const [all, briefs, others] = [await ask(), await ask({ jobType: 'BRIEF' }), await ask({ tenant: 'acme' })]
  expect(all).toMatchObject({ dead: { now: 1 }, leases: { active: expect.any(Number) } })
  expect(all.leases.active).toBeGreaterThan(0)
  for (const none of [briefs, others]) expect(none).toMatchObject({ dead: { now: 0 }, leases: { active: 0 } })
})

it.each(['1h', '7d'] as const)('reads the points of %s by an index, however many there are', async (name) => {
  const owner = openDatabase(test.url, { connections: 1 })
  await owner.query(sql`INSERT INTO metric_point (step, at, name, labels, count)
    SELECT s.step, now() - make_interval(secs => s.step * n), 'job_queue_depth', jsonb_build_object('jobType', 'T' || t), 1
    FROM (VALUES (60, 1440), (900, 8640)) s(step, n_max), generate_series(1, s.n_max) n, generate_series(1, 5) t`)
  await owner.query(sql`ANALYZE metric_point`)
  const { step, length } = WINDOWS[name]
  const plan = await owner.query<{ 'QUERY PLAN': string }>(
    sql`EXPLAIN ${pointsStatement(windowOf(NOW, step, length), JOB_SERIES)}`,
  )
  await owner.close()
  const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(text).toMatch(/Index Cond: .*step = /)
  expect(text).not.toContain('Seq Scan')
})
