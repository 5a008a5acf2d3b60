import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Db, openDatabase, sqlState, UNIQUE_VIOLATION } from '#server/ledger/database.ts'
import { openWatched } from '#server/ledger/testing/executed-plans.ts'
import type { Topic } from '#server/ledger/topics.ts'
import { cancelRun, endOrFlag } from './cancel-run.ts'
import { enqueueRuns } from './enqueue-runs.ts'
import { handOverRuns } from './hand-over-runs.ts'
import { requestRun } from './request-run.ts'
import { suspendForWork } from './run-leases.ts'
import { type RunRow, readRun } from './run-row.ts'
import { ask, type Harness, OWNER, openHarness, patiently, status, until } from './testing/harness.ts'
import { LIMITS, outputOf } from './testing/run-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let h: Harness
const CROWD = Array.from({ length: LIMITS.RUNS_MAX_RUNNING + 2 }, (_, i) => `agent-${i}`)
beforeEach(async () => {
  h = await openHarness(['scout', 'second', ...CROWD])
})
afterEach(() => h.close())

const states = async (): Promise<string[]> => {
  const { rows } = await h.kit.db.query<RunRow>(sql`SELECT status FROM run ORDER BY requested_at, run_id`)
  return rows.map((r) => r.status)
}
/** Hands over what was requested, and starts what may run. */
const enqueue = async (limit = 50, kit = h.kit) => {
  await handOverRuns(kit)
  return enqueueRuns(kit, limit)
}
/** Waits until a statement waits for a lock of another's transaction. */
const untilLocked = () =>
  patiently(async () => {
    const { rows } = await h.kit.db.query(
      sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  })
const running = async (slug: string) => {
  const { rows } = await h.kit.db.query(
    sql`SELECT 1 FROM run WHERE agent_slug = ${slug} AND status = 'running'`,
  )
  return rows.length
}

describe('one run an agent', () => {
  test('of two starts one runs and the other says behind whom it waits', async () => {
    const [first, second] = [await ask(h.kit, 'scout'), await ask(h.kit, 'scout')]
    await enqueue()
    expect(await states()).toEqual(['running', 'queued'])
    expect(await readRun(h.kit.db, second)).toMatchObject({
      wait_reason: 'agent_busy',
      wait_blocker: first,
      totals: { queue_position: 1 },
    })
  })

  test('holds whoever starts: many processes at once, and SQL by hand', async () => {
    for (let i = 0; i < 5; i++) await ask(h.kit, 'scout')
    const others = await Promise.all([h.worker(), h.worker(), h.worker()])
    const rounds = await Promise.all(Array.from({ length: 12 }, (_, i) => enqueue(50, others[i % 3]?.kit)))
    expect(rounds.flatMap((r) => r.started)).toHaveLength(1)
    expect(await running('scout')).toBe(1)
    const byHand = h.kit.db.query(
      sql`UPDATE run SET status = 'running', fence = 1 WHERE run_id = (SELECT run_id FROM run WHERE status = 'queued' LIMIT 1)`,
    )
    expect(sqlState(await byHand.catch((e: unknown) => e))).toBe(UNIQUE_VIOLATION)
  })

  test('a sixth that would wait is refused; one that runs does not count', async () => {
    for (let i = 0; i < 5; i++) await ask(h.kit, 'scout')
    await expect(ask(h.kit, 'scout')).rejects.toThrow('QUEUE_FULL')
    await enqueue()
    await ask(h.kit, 'scout')
    await expect(ask(h.kit, 'scout')).rejects.toThrow('QUEUE_FULL')
  })

  test('a definition that turns manual runs off refuses people and programs, not its schedule and its events', async () => {
    await h.kit.db.query(
      sql`UPDATE agent SET definition = '{"triggers": {"manual": false}}' WHERE slug = 'scout'`,
    )
    const request = { slug: 'scout', params: {}, priority: 'normal' as const, inboxId: null }
    const ends: Record<string, string> = {}
    for (const trigger of ['manual', 'mcp', 'cron', 'event'] as const) {
      const asked = await requestRun(h.kit.db, { ...request, trigger, correlationId: null }, OWNER, LIMITS)
      ends[trigger] = asked.ok ? asked.value.trigger : asked.refusal.code
    }
    await h.kit.db.query(sql`UPDATE agent SET definition = '{}' WHERE slug = 'scout'`)
    const refused = 'AGENT_NOT_ACTIVE'
    expect(ends).toEqual({ manual: refused, mcp: refused, cron: 'cron', event: 'event' })
  })

  test('of fifty at once, five are queued', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 50 }, () => ask(h.kit, 'scout')))
    expect(asked.filter((a) => a.status === 'fulfilled')).toHaveLength(5)
  })
})

describe('the order', () => {
  test('is priority, then age, within an agent', async () => {
    const ids = [await ask(h.kit, 'scout'), await ask(h.kit, 'scout', {}, 'high')]
    await enqueue()
    expect((await readRun(h.kit.db, ids[1] ?? ''))?.status).toBe('running')
  })

  test('gives the agent that ran longest ago its turn first, so that none starves another', async () => {
    const one = await h.worker({ execute: async () => outputOf() })
    await until(one, await ask(h.kit, 'scout'), status('completed'))
    const [again, fresh] = [await ask(h.kit, 'scout'), await ask(h.kit, 'second')]
    const { started } = await enqueue(1)
    expect(started.map((r) => r.run_id)).toEqual([fresh])
    expect((await readRun(h.kit.db, again))?.wait_reason).toBe('global_limit')
  })

  test('ten run in all, by however many processes', async () => {
    for (const slug of CROWD) await ask(h.kit, slug)
    const other = await h.worker()
    await Promise.all([enqueue(), enqueue(50, other.kit), enqueue(), enqueue(50, other.kit)])
    const now = await states()
    expect(now.filter((s) => s === 'running')).toHaveLength(LIMITS.RUNS_MAX_RUNNING)
    const { rows } = await h.kit.db.query(sql`SELECT DISTINCT wait_reason FROM run WHERE status = 'queued'`)
    expect(rows).toEqual([{ wait_reason: 'global_limit' }])
  })
})

test('one decides at a time: who comes while another starts runs sees what that one started', async () => {
  for (const slug of CROWD.slice(0, LIMITS.RUNS_MAX_RUNNING)) await ask(h.kit, slug)
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  let started = false
  const slow = {
    ...h.kit,
    db: {
      ...h.kit.db,
      transaction: (work: (tx: Db) => Promise<unknown>) =>
        h.kit.db.transaction(async (tx) => {
          const done = await work(tx)
          started = true
          await gate
          return done
        }),
    },
  }
  await handOverRuns(h.kit)
  const first = enqueueRuns(slow as never, 50)
  await patiently(() => started)
  await ask(h.kit, CROWD[LIMITS.RUNS_MAX_RUNNING] ?? '', {}, 'high')
  await handOverRuns(h.kit)
  const other = await h.worker()
  const second = enqueueRuns(other.kit, 50)
  await untilLocked()
  release()
  expect((await first).started).toHaveLength(LIMITS.RUNS_MAX_RUNNING)
  expect((await second).started).toEqual([])
})

test('a run that is cancelled while its wait is explained keeps what the cancel wrote', async () => {
  await ask(h.kit, 'scout')
  const second = await ask(h.kit, 'scout')
  await handOverRuns(h.kit)
  const other = await h.worker()
  const explaining = await h.kit.db.transaction(async (tx) => {
    await endOrFlag(tx, { run_id: second, reason: 'not needed any more' }, OWNER)
    const enqueued = enqueueRuns(other.kit, 0)
    await untilLocked()
    return { enqueued }
  })
  expect((await explaining.enqueued).changed).not.toContain(second)
  const row = await readRun(h.kit.db, second)
  expect(row).toMatchObject({ status: 'cancelled', wait_reason: null, wait_blocker: null, totals: {} })
})

test('whose turn it is does not depend on how much an agent has run: no start reads its history', async () => {
  const watched = openWatched(h.adminUrl)
  try {
    await watched.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      await tx.query(sql`INSERT INTO run (run_id, status, agent_slug, requested_by, requested_at, started_at, finished_at)
        SELECT 'run_2026-01-01_000000_' || lpad(to_hex(n), 6, '0'), 'completed', 'scout', 'owner', past.t, past.t, past.t
        FROM generate_series(1, 3000) n, LATERAL (SELECT now() - n * interval '1 minute') AS past(t)`)
    })
    await watched.query(sql`ANALYZE run`)
    const runId = await ask(h.kit, 'scout')
    await handOverRuns(h.kit)
    const { value, plans } = await watched.plansOf(() => enqueueRuns({ ...h.kit, db: watched }, 1))
    expect(value.started.map((run) => run.run_id)).toEqual([runId])
    const scans = plans.flatMap((plan) => plan.scans).filter((scan) => scan.table === 'run')
    expect(scans.map((scan) => scan.index)).toContain('run_started')
    expect(scans.reduce((read, { rows, leftOut }) => read + rows + leftOut, 0)).toBeLessThan(100)
  } finally {
    await watched.close()
  }
})

describe('accepting', () => {
  test('sweeps up what a crash between the 202 and the queue left behind', async () => {
    const runId = await ask(h.kit, 'scout')
    await h.kit.db.query(
      sql`UPDATE run SET requested_at = requested_at - interval '11 s' WHERE run_id = ${runId}`,
    )
    await enqueue()
    const { rows } = await h.kit.db.query(
      sql`SELECT details -> 'swept' AS swept FROM event WHERE resource_id = ${runId} AND name = 'run.queued'`,
    )
    expect(rows).toEqual([{ swept: true }])
  })

  test('does not start while the store does not answer', async () => {
    const runId = await ask(h.kit, 'scout')
    const down = { ...h.kit, store: { ...h.kit.store, head: () => Promise.reject(new Error('down')) } }
    await handOverRuns(h.kit)
    expect((await enqueueRuns(down as never, 50)).started).toEqual([])
    expect((await readRun(h.kit.db, runId))?.status).toBe('queued')
    await enqueue()
    expect((await readRun(h.kit.db, runId))?.status).toBe('running')
  })
})

test('a run that waits for its own agent’s Job lets the Job have its lane, and the next run waits', async () => {
  const [first, second] = [await ask(h.kit, 'scout'), await ask(h.kit, 'scout')]
  const suspended = await until(h, first, (run) => run.waiting_on !== null, { jobs: 'leave' })
  expect(suspended).toMatchObject({ status: 'running', lease_holder: null, lease_expires_at: null })
  await patiently(() => h.supervisor.activeRuns().length === 0)
  await until(h, first, status('completed'))
  await until(h, second, status('completed'))
})

test('a requested cancel and a suspended run notify the workers, a stale lease nobody', async () => {
  const topics: Topic[] = []
  const database = openDatabase(h.url, { notify: (topic) => topics.push(topic) })
  const runId = await ask(h.kit, 'scout')
  const { started } = await enqueue()
  const lease = { runId, fence: started[0]?.fence ?? 0 }
  const job = { kind: 'job', id: crypto.randomUUID() } as const
  try {
    expect(await suspendForWork(database, { ...lease, fence: lease.fence - 1 }, job)).toBe(false)
    expect(topics).toEqual([])
    expect(await suspendForWork(database, lease, job)).toBe(true)
    expect(topics).toEqual(['runs'])
    await cancelRun({ ...h.kit, db: database }, { run_id: runId, reason: 'not needed any more' }, OWNER)
    expect(topics).toEqual(['runs', 'events', 'runs'])
  } finally {
    await database.close()
  }
})
