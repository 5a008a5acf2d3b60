/** Every metric of the catalogue with what moves it, by real parts: gateway, ledger, garden, queue and apply engine. */

import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OF_THIS_MACHINE } from '#server/http/testing/gateway.ts'
import { wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { addJob, type Room } from '#server/jobs/testing/queue-room.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { CATALOGUE } from '#server/metrics/catalogue.ts'
import { countEvents } from '#server/metrics/count-events.ts'
import { Meter } from '#server/metrics/meter.ts'
import { findPromtool } from '#server/metrics/testing/promtool.ts'
import { amountOf, type Family, readMetrics } from '#server/metrics/testing/read-metrics.ts'
import { flushMeter, readTotals } from '#server/metrics/totals.ts'
import type { Kit } from '#server/proposals/testing/garden-kit.ts'
import { MOVES, requeued, type World } from '#worker/testing/metric-acts.ts'
import { metricsLoop } from './metrics.loop.ts'

let w: World
let worker: Database
let other: Database

beforeAll(async () => {
  const gateway = await wholeGateway()
  worker = openDatabase(gateway.ledger.workerUrl)
  other = openDatabase(gateway.ledger.workerUrl)
  const owner = await gateway.bearer(await gateway.open({}))
  w = {
    gateway,
    worker,
    room: { db: worker, database: worker } as unknown as Room,
    kit: { ...gateway.services, services: gateway.services } as unknown as Kit,
    get: async (path, signal) => gateway.app.request(path, { headers: owner, ...(signal ? { signal } : {}) }),
    streams: [],
  }
})
afterAll(async () => {
  await worker?.close()
  await other?.close()
  await w?.gateway.close()
})

async function text(): Promise<string> {
  const { app, services } = w.gateway
  const headers = { ...OF_THIS_MACHINE, authorization: `Bearer ${services.env.METRICS_TOKEN}` }
  const answer = await app.request('/metrics', { headers })
  expect(answer.status).toBe(200)
  return answer.text()
}
const scrape = async () => readMetrics(await text())

/** Seals, counts and flushes until nothing is left, as the worker's loops do. */
async function countAll(): Promise<void> {
  await sealAll(worker)
  const loop = metricsLoop({ db: worker })
  while ((await loop.tick(new AbortController().signal, () => undefined)) === 'again');
}

const CAMEL_CASE = "label names should be written in 'snake_case' not 'camelCase'"

/** Their amount says how something stands and grows by itself. */
const STANDING = ['garden_worker_heartbeat_age_seconds', 'garden_storage_used_ratio']

describe('the metrics', () => {
  it('are those of the list, all of them, with their types and labels', async () => {
    const declared = Object.entries(CATALOGUE).map(([name, { type, labels }]) => [
      name,
      type,
      labels.join(' '),
    ])
    expect(declared.sort()).toEqual(MOVES.map(([name, type, labels]) => [name, type, labels]).sort())
    const found = await scrape()
    expect([...found.keys()].sort()).toEqual(declared.map(([name]) => name))
    for (const [name, { type }] of found)
      expect([name, type]).toEqual([name, CATALOGUE[name as keyof typeof CATALOGUE].type])
  })

  describe('move', () => {
    let before: Map<string, Family>
    let after: Map<string, Family>
    beforeAll(async () => {
      before = await scrape()
      // What waits or is held goes on with the acts of others, so it comes last.
      for (const [, , , act] of MOVES.filter(([, type]) => type !== 'gauge')) await act(w)
      for (const [, , , act] of MOVES.filter(([, type]) => type === 'gauge')) await act(w)
      await countAll()
      after = await scrape()
    }, 120_000)

    it.each(MOVES)('%s', (name, _, labels) => {
      const family = after.get(name)
      expect(amountOf(family)).toBeGreaterThan(STANDING.includes(name) ? 0 : amountOf(before.get(name)))
      const names = new Set(family?.samples.flatMap((sample) => Object.keys(sample.labels)))
      names.delete('le')
      expect([...names].sort()).toEqual(labels.split(' ').filter(Boolean).sort())
    })
  })

  it('are what promtool takes', async (context) => {
    const promtool = await findPromtool()
    if ('unavailable' in promtool) return lacking(context, promtool.unavailable)
    const { output } = await promtool.run(['check', 'metrics'], await text())
    // `jobType` is the name that clients of the orchestrator API know; it objects to nothing else.
    const objections = output.split('\n').filter(Boolean)
    expect(objections).toContain(`job_queue_depth ${CAMEL_CASE}`)
    expect(objections.filter((line) => !line.endsWith(CAMEL_CASE))).toEqual([])
  }, 90_000)

  it('have no ids, and templates for routes', async () => {
    for (const stop of w.streams) stop.abort()
    const id = await addJob(worker)
    await w.get(`/api/v1/jobs/${id}`)
    await w.get(`/nowhere/${id}`)
    const said = await text()
    expect(said).toContain('{code="200",method="GET",route="/api/v1/jobs/{job_id}"}')
    expect(said).toContain('{code="404",method="GET",route="unmatched"}')
    expect(said).not.toContain(id)
  })
})

describe('the totals', () => {
  const total = async (name: string) =>
    (await readTotals(worker)).filter((row) => row.name === name).reduce((sum, row) => sum + row.count, 0)
  const counted = async () => {
    const { rows } = await worker.query<{ n: number }>(
      sql`SELECT count(*) AS n FROM event WHERE transition = 'requeue'`,
    )
    return rows[0]?.n ?? 0
  }

  it('count each event once with two workers at it, in batches that meet', async () => {
    await Promise.all(Array.from({ length: 12 }, () => requeued(w)))
    await sealAll(worker)
    const passes = async (db: Database) => {
      for (let n = 0; n < 200; n++) await countEvents(db, 7)
    }
    await Promise.all([passes(worker), passes(other)])
    await countAll()
    expect(await total('garden_job_requeued_total')).toBe(await counted())
  })

  it('count nothing of a pass that was cut off, and all of it in the next', async () => {
    await requeued(w)
    await sealAll(worker)
    const cut = {
      ...worker,
      transaction: (work: (tx: never) => Promise<unknown>) =>
        worker.transaction(async (tx) => {
          await work(tx as never)
          throw new Error('killed')
        }),
    }
    const before = await total('garden_job_requeued_total')
    await expect(countEvents(cut as unknown as Database)).rejects.toThrow('killed')
    expect(await total('garden_job_requeued_total')).toBe(before)
    await countAll()
    expect(await total('garden_job_requeued_total')).toBe(before + 1)
  })

  it('are the same right after a restart, and sums of what several processes measured', async () => {
    await countAll()
    const before = await total('lease_extensions_total')
    const [one, two] = [new Meter(), new Meter()]
    const add = {
      name: 'lease_extensions_total',
      labels: { tenant: 'default' },
      le: Number.POSITIVE_INFINITY,
    } as const
    one.add({ ...add, count: 3, sum: 3 })
    two.add({ ...add, count: 4, sum: 4 })
    await Promise.all([flushMeter(worker, one), flushMeter(other, two)])
    const family = (await scrape()).get('lease_extensions_total')
    expect(amountOf(family)).toBe(before + 7)
  })

  it('get what was measured while the ledger was away', async () => {
    const meter = new Meter()
    const refusals = {
      name: 'garden_refusals_total',
      labels: { role: 'owner' },
      le: Number.POSITIVE_INFINITY,
    } as const
    meter.add({ ...refusals, count: 2, sum: 2 })
    const gone = { transaction: () => Promise.reject(new Error('gone')) } as unknown as Database
    await expect(flushMeter(gone, meter)).rejects.toThrow('gone')
    meter.add({ ...refusals, count: 1, sum: 1 })
    expect(meter.take()).toMatchObject([{ count: 3, sum: 3 }])
  })
})
