/** Every metric of the catalogue with what moves it, by real parts: gateway, ledger, garden, queue and apply engine. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { createEngine } from '#server/apply/engine.ts'
import { type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { reapLeases } from '#server/jobs/leases.ts'
import { failJob, requeueJob } from '#server/jobs/operate-job.ts'
import { recordRefusedWrite } from '#server/jobs/record-refused-write.ts'
import { backOffJob, markExhaustedDead, releaseJobs } from '#server/jobs/retry.ts'
import {
  addAgent,
  addJob,
  call,
  complete,
  endBackoff,
  expireLeases,
  hold,
  OWNER,
  type Room,
} from '#server/jobs/testing/queue-room.ts'
import { create } from '#server/ledger/create.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { transition } from '#server/ledger/transition.ts'
import { CATALOGUE } from '#server/metrics/catalogue.ts'
import { countEvents } from '#server/metrics/count-events.ts'
import { count, Meter } from '#server/metrics/meter.ts'
import { amountOf, type Family, readMetrics } from '#server/metrics/testing/read-metrics.ts'
import { flushMeter, readTotals } from '#server/metrics/totals.ts'
import {
  approve,
  editOf,
  humanCommit,
  type Kit,
  noteOf,
  propose,
} from '#server/proposals/testing/garden-kit.ts'
import { checkpointStep } from '#server/runs/step-transitions.ts'
import { probeHealth } from '#server/system/probe-health.ts'
import { createPipeline } from '#worker/handlers/job-pipeline.ts'
import { instantPhases } from '#worker/testing/instant-phases.ts'
import { heartbeatLoop } from './heartbeat.loop.ts'
import { metricsLoop } from './metrics.loop.ts'
import { workerPresenceLoop } from './worker-presence.loop.ts'

let gateway: WholeGateway
let worker: Database
let other: Database
let room: Room
let kit: Kit
let owner: Record<string, string>
const token = () => ({ authorization: `Bearer ${gateway.services.env.METRICS_TOKEN}` })

beforeAll(async () => {
  gateway = await wholeGateway()
  worker = openDatabase(gateway.ledger.workerUrl)
  other = openDatabase(gateway.ledger.workerUrl)
  room = { db: worker, database: worker } as unknown as Room
  kit = { ...gateway.services, services: gateway.services } as unknown as Kit
  owner = await gateway.bearer(await gateway.open({}))
})
afterAll(async () => {
  await worker?.close()
  await other?.close()
  await gateway?.close()
})

const get = async (path: string, headers: Record<string, string> = owner, signal?: AbortSignal) =>
  gateway.app.request(path, { headers, ...(signal ? { signal } : {}) })

async function scrape(): Promise<Map<string, Family>> {
  const answer = await get('/metrics', token())
  expect(answer.status).toBe(200)
  return readMetrics(await answer.text())
}

/** Seals, counts and flushes until nothing is left, as the worker's loops do. */
async function countAll(): Promise<void> {
  await sealAll(worker)
  const loop = metricsLoop({ db: worker })
  while ((await loop.tick(new AbortController().signal, () => undefined)) === 'again');
}

const inBackoff = async (max_attempts?: number) => {
  const id = await addJob(worker, max_attempts ? { max_attempts } : {})
  const job = await hold(room, id)
  await backOffJob(room, 'context_timeout', job, { code: 'CONTEXT_TIMEOUT', message: 'late' })
  return id
}
const exhausted = async () => {
  const id = await inBackoff(1)
  await endBackoff(worker, id)
  await releaseJobs(worker)
  const job = await hold(room, id)
  await backOffJob(room, 'context_timeout', job, { code: 'CONTEXT_TIMEOUT', message: 'late' })
}
let runs = 0
/** A run of an agent of its own, by the ledger's own statements, as far as `last`. */
async function run(...events: ('accept' | 'start' | 'resume' | 'complete')[]): Promise<string> {
  const run_id = `run_${++runs}`
  const agent_slug = await addAgent(worker, `runner-${runs}`)
  await create(worker, {
    machine: 'run',
    actor: OWNER,
    values: { run_id, agent_slug, requested_by: 'owner' },
  })
  const more = {
    accept: sql`queued_at = clock_timestamp()`,
    start: sql`fence = 1, started_at = clock_timestamp(), lease_expires_at = clock_timestamp() + interval '1 minute', lease_holder = 'w'`,
    resume: sql`resumes = 1`,
    complete: sql`finished_at = clock_timestamp()`,
  }
  for (const event of events)
    await transition(worker, {
      machine: 'run',
      event,
      actor: ORCHESTRATION_LAYER,
      where: sql`o.run_id = ${run_id}`,
      set: more[event],
    })
  return run_id
}
async function step() {
  const runId = await run('accept', 'start')
  await worker.query(sql`INSERT INTO run_step (run_id, step, fence) VALUES (${runId}, 1, 1)`)
  await worker.transaction((tx) =>
    checkpointStep(tx, { runId, fence: 1 }, { step: 1, output: {}, attempts: [] }),
  )
}
let notes = 0
const newNote = () => propose(kit, noteOf(`Beds/New-${++notes}.md`, `# Bed ${notes}\n`))
const applyAll = () => applyDue(createEngine({ ...gateway.services, db: worker }))
/** An edit of lines that somebody changes by hand before it is applied. */
async function conflict() {
  const diff = { type: 'replace', text: '# North bed\n\nBeans.\n\nWatered on Mondays.\n' }
  await approve(kit, await propose(kit, editOf('notes/Beds/North.md', { diff })))
  await humanCommit(kit, 'Beds/North.md', '# North bed\n\nPeas.\n\nWatered on Mondays.\n')
  await worker.query(
    sql`UPDATE proposal SET apply_not_before = clock_timestamp() WHERE apply_not_before IS NOT NULL`,
  )
  await applyAll()
}
const good = async () => ({ status: 'healthy' as const, message: null })
const probe = () =>
  probeHealth({
    ...gateway.services,
    db: worker,
    gardenState: good,
    nlmBackend: good,
    schema: good,
    storeFault: () => null,
  })
const openStreams = async (n: number) => {
  for (let i = 0; i < n; i++) {
    const stop = new AbortController()
    streams.push(stop)
    await get('/api/v1/events/stream', owner, stop.signal)
  }
}
const streams: AbortController[] = []
const fault = () =>
  worker.query(
    sql`INSERT INTO projection_fault (resource_type, resource_id, object_key, message) VALUES ('run', ${`r${++runs}`}, 'k', 'm')`,
  )
const job = async () => hold(room, await addJob(worker))

/** Page 10 §3 as it is written, and the act that moves each: name, type, labels, act. */
const MOVES: [string, string, string, () => Promise<unknown>][] = [
  ['job_queue_depth', 'gauge', 'jobType tenant', () => addJob(worker)],
  ['job_latency_seconds', 'histogram', 'jobType tenant phase', job],
  ['job_failures_total', 'counter', 'jobType tenant code', () => inBackoff()],
  [
    'job_retry_total',
    'counter',
    'jobType tenant',
    async () => {
      await endBackoff(worker, await inBackoff())
      await releaseJobs(worker)
    },
  ],
  [
    'lease_extensions_total',
    'counter',
    'tenant',
    async () => {
      await job()
      await heartbeatLoop({ db: worker }, 'worker-1').tick(new AbortController().signal, () => undefined)
    },
  ],
  ['garden_jobs', 'gauge', 'status', () => addJob(worker)],
  [
    'garden_job_dead_total',
    'counter',
    'jobType',
    async () => {
      await exhausted()
      await markExhaustedDead(worker)
    },
  ],
  [
    'garden_job_requeued_total',
    'counter',
    'jobType',
    async () => {
      const input = { job_id: await addJob(worker), reason: 'again' }
      await failJob(room, input, OWNER)
      await requeueJob(room, input, OWNER)
    },
  ],
  [
    'garden_artifact_write_seconds',
    'histogram',
    'outcome',
    async () => {
      const parts = { db: worker, env: gateway.services.env, log: gateway.services.log }
      await createPipeline(parts, { RESEARCH: instantPhases() } as never)(await job())
    },
  ],
  ['garden_context_assembly_seconds', 'histogram', 'outcome', async () => call(room, await addJob(worker))],
  [
    'garden_nlm_call_seconds',
    'histogram',
    'outcome',
    async () => complete(room, await call(room, await addJob(worker))),
  ],
  ['garden_runs_total', 'counter', 'agent status trigger', () => run('accept', 'start', 'complete')],
  ['garden_run_seconds', 'histogram', 'agent', () => run('accept', 'start', 'complete')],
  ['garden_run_step_seconds', 'histogram', 'step', step],
  ['garden_runs_running', 'gauge', '', () => run('accept', 'start')],
  ['garden_runs_queued', 'gauge', '', () => run('accept')],
  ['garden_run_resumes_total', 'counter', '', () => run('accept', 'start', 'resume')],
  ['garden_proposals', 'gauge', 'status', newNote],
  ['garden_proposal_age_seconds_max', 'gauge', 'action', newNote],
  ['garden_proposal_decision_seconds', 'histogram', 'action', async () => approve(kit, await newNote())],
  [
    'garden_apply_seconds',
    'histogram',
    'repository',
    async () => {
      await approve(kit, await newNote())
      await worker.query(
        sql`UPDATE proposal SET apply_not_before = clock_timestamp() WHERE apply_not_before IS NOT NULL`,
      )
      await applyAll()
    },
  ],
  ['garden_apply_failures_total', 'counter', 'code', conflict],
  ['garden_inbox_entries_total', 'counter', 'source outcome', newNote],
  ['garden_leases_active', 'gauge', '', job],
  [
    'garden_lease_expired_total',
    'counter',
    '',
    async () => {
      await expireLeases(worker, [(await job()).job_id])
      await reapLeases(room)
    },
  ],
  [
    'garden_fence_refused_total',
    'counter',
    '',
    async () => recordRefusedWrite(worker, await job(), 'commit'),
  ],
  [
    'garden_workers',
    'gauge',
    'status',
    () => workerPresenceLoop({ db: worker }, 'w').tick(new AbortController().signal, () => undefined),
  ],
  ['garden_worker_heartbeat_age_seconds', 'gauge', 'worker', async () => undefined],
  ['garden_search_seconds', 'histogram', '', () => get('/api/v1/notes?q=leeks')],
  ['garden_http_requests_total', 'counter', 'route method code', () => get('/api/v1/jobs')],
  ['garden_http_seconds', 'histogram', 'route method code', () => get('/api/v1/jobs')],
  ['garden_refusals_total', 'counter', 'role', () => get('/api/v1/jobs', {})],
  ['garden_stream_clients', 'gauge', 'kind', () => openStreams(1)],
  ['garden_rate_limited_total', 'counter', 'role', () => openStreams(8)],
  ['garden_outbox_backlog', 'gauge', 'kind', () => addJob(worker)],
  ['garden_audit_unmirrored', 'gauge', 'kind', () => addJob(worker)],
  ['garden_storage_probe_seconds', 'histogram', 'kind', probe],
  ['garden_storage_used_ratio', 'gauge', 'kind', async () => undefined],
  ['garden_projection_faults', 'gauge', '', fault],
]
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
      for (const [, , , act] of MOVES.filter(([, type]) => type !== 'gauge')) await act()
      for (const [, , , act] of MOVES.filter(([, type]) => type === 'gauge')) await act()
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

  it('have no ids, and templates for routes', async () => {
    for (const stop of streams) stop.abort()
    const id = await addJob(worker)
    await get(`/api/v1/jobs/${id}`)
    await get(`/nowhere/${id}`)
    const text = await (await get('/metrics', token())).text()
    expect(text).toContain('{code="200",method="GET",route="/api/v1/jobs/{job_id}"}')
    expect(text).toContain('{code="404",method="GET",route="unmatched"}')
    expect(text).not.toContain(id)
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
  const requeue = async () => {
    const input = { job_id: await addJob(worker), reason: 'again' }
    await failJob(room, input, OWNER)
    await requeueJob(room, input, OWNER)
  }

  it('count each event once with two workers at it, in batches that meet', async () => {
    await Promise.all(Array.from({ length: 12 }, requeue))
    await sealAll(worker)
    const passes = async (db: Database) => {
      for (let n = 0; n < 200; n++) await countEvents(db, 7)
    }
    await Promise.all([passes(worker), passes(other)])
    await countAll()
    expect(await total('garden_job_requeued_total')).toBe(await counted())
  })

  it('count nothing of a pass that was cut off, and all of it in the next', async () => {
    await requeue()
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
    const total_ = {
      name: 'garden_refusals_total',
      labels: { role: 'owner' },
      le: Number.POSITIVE_INFINITY,
    } as const
    meter.add({ ...total_, count: 2, sum: 2 })
    const gone = { query: () => Promise.reject(new Error('gone')) } as unknown as Database
    await expect(flushMeter(gone, meter)).rejects.toThrow('gone')
    meter.add({ ...total_, count: 1, sum: 1 })
    expect(meter.take()).toMatchObject([{ count: 3, sum: 3 }])
    count('garden_refusals_total', { role: 'owner' }, 0)
  })
})
