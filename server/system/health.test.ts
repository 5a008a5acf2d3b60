import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createBuiltInOrchestration } from '#server/adapters/orchestration/built-in.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { type ObjectStore, StorageUnavailable } from '#server/ports/object-store.ts'
import { canServe } from './can-serve.query.ts'
import { getHealth } from './get-health.query.ts'
import { getNavigationCounts } from './get-navigation-counts.query.ts'
import { probeControlPlane } from './probe-control-plane.ts'
import { type Finding, probeHealth } from './probe-health.ts'
import { probeSchema } from './probe-schema.ts'
import { VERSION } from './version.ts'

let test: TestDatabase
/** The worker finds out how it is; the web process tells. */
let database: Database
let web: Database
let store: ObjectStore
let folder: string
const good: Finding = { status: 'healthy', message: null }

beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.workerUrl)
  web = openDatabase(test.webUrl)
  folder = await mkdtemp(path.join(tmpdir(), 'bloom-health-'))
  store = await openDirectoryStore(folder)
})

beforeEach(async () => {
  await onLedger(test.url, (db) => db.query(sql`DELETE FROM component_health`))
  await database.query(sql`INSERT INTO worker_process (worker_id, host, pid) VALUES ('w', 'h', 1)
    ON CONFLICT (worker_id) DO UPDATE SET heartbeat_at = clock_timestamp(), stopped_at = NULL`)
})

afterAll(async () => {
  await database?.close()
  await web?.close()
  await test?.drop()
  await rm(folder, { recursive: true, force: true })
})

type Broken = {
  store?: ObjectStore
  garden?: () => Promise<Finding>
  nlm?: () => Promise<Finding>
  controlPlane?: () => Promise<Finding>
  untilStarted?: (check: () => Promise<Finding>) => Promise<void>
  migrations?: string
  conditions?: string
  engine?: { healthy: boolean; vendor: string }
}

const probe = (broken: Broken = {}) =>
  probeHealth({
    db: database,
    store: broken.store ?? store,
    gardenState: broken.garden ?? (async () => good),
    nlmBackend: broken.nlm ?? (async () => good),
    controlPlane: broken.controlPlane ?? (async () => good),
    untilStarted: broken.untilStarted ?? (async () => {}),
    schema: () => probeSchema(database, broken.migrations),
    storeFault: () => broken.conditions ?? null,
    orchestration: broken.engine
      ? { healthCheck: async () => broken.engine as NonNullable<Broken['engine']> }
      : createBuiltInOrchestration({ db: database }),
  })

const healthNow = () => getHealth({ db: web, env: { BLOOM_HOME: folder } })

const gone = async (): Promise<never> => {
  throw new StorageUnavailable('it does not answer')
}
const brokenStore = { head: gone, replace: gone, get: gone } as unknown as ObjectStore
const changes = async () => {
  const { rows } = await database.query(
    sql`SELECT resource_id, from_status, to_status FROM event WHERE name = 'health.changed' ORDER BY id`,
  )
  return rows
}

describe('the health of the system', () => {
  it('is healthy when everything answers, and writes a real object', async () => {
    await probe()
    const health = await healthNow()
    expect(health).toMatchObject({
      status: 'healthy',
      version: VERSION,
      pending_proposals_count: 0,
      last_run_status: null,
    })
    const { git_memory, memory_backend, ...present } = health.components
    for (const absent of [git_memory, memory_backend]) expect(absent.status).toBe('not_configured')
    expect(Object.values(present).map((c) => c.status)).toEqual(Array(8).fill('healthy'))
    expect(await store.get('health/probe.json')).not.toBeNull()
  })

  it.each([
    ['the object store', 'object_store', { store: brokenStore }],
    ['the garden', 'git_garden', { garden: gone }],
  ] as const)('is critical without %s', async (_, component, broken) => {
    await probe(broken)
    const health = await healthNow()
    expect(health.status).toBe('critical')
    expect(health.components[component]).toMatchObject({
      status: 'unavailable',
      message: 'it does not answer',
    })
  })

  it('is critical after ten seconds of an object store that takes requests and answers none', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const asked = Promise.withResolvers<void>()
    const head = () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    const probing = probe({ store: { head } as unknown as ObjectStore })
    await asked.promise
    vi.advanceTimersByTime(10_000)
    await probing
    const health = await healthNow()
    expect(health.status).toBe('critical')
    expect(health.components.object_store).toMatchObject({
      status: 'unavailable',
      message: 'probe_silent: It did not answer within 10 s.',
    })
  })

  it('is degraded without the NotebookLM Backend, and without workers', async () => {
    await probe({ nlm: gone })
    expect((await healthNow()).status).toBe('degraded')
    await database.query(
      sql`UPDATE worker_process SET heartbeat_at = clock_timestamp() - interval '5 minutes'`,
    )
    await probe()
    const health = await healthNow()
    expect(health.components.orchestration.status).toBe('unavailable')
    expect(health.status).toBe('degraded')
  })

  it('does not count how long a backend took to start as its latency', async () => {
    const STARTING_MS = 16_000
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await probe({ untilStarted: async () => void vi.advanceTimersByTime(STARTING_MS) })
    const { nlm_backend, control_plane } = (await healthNow()).components
    for (const { latency_ms } of [nlm_backend, control_plane]) expect(latency_ms).toBeLessThan(STARTING_MS)
  })

  it('is degraded without the control plane, and says so', async () => {
    await probe({ controlPlane: () => probeControlPlane({ MEMBRIDGE_URL: 'http://127.0.0.1:1' }) })
    const health = await healthNow()
    expect(health.status).toBe('degraded')
    expect(health.components.control_plane).toMatchObject({
      status: 'unavailable',
      message: 'control_plane_silent: The Membridge Control Plane does not answer.',
    })
  })

  it('asks the orchestration engine itself how it is', async () => {
    await probe({ engine: { healthy: false, vendor: 'temporal' } })
    expect((await healthNow()).components.orchestration).toMatchObject({
      status: 'unavailable',
      message: 'engine_idle: The orchestration engine (temporal) takes up no runs.',
    })
    await probe()
    expect((await healthNow()).components.orchestration.status).toBe('healthy')
  })

  it('names the clock of a worker that is away from the database’s, until it is right again', async () => {
    const setSkew = (ms: number) => database.query(sql`UPDATE worker_process SET clock_skew_ms = ${ms}`)
    await setSkew(-3_600_000)
    await probe()
    expect((await healthNow()).components.orchestration).toMatchObject({
      status: 'degraded',
      message: "clock_skew: The clock of a worker is 3600 s behind the database's clock.",
    })
    await setSkew(400)
    await probe()
    expect((await healthNow()).components.orchestration.status).toBe('healthy')
  })

  it('says that the disk is full, whoever met it', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
    const fails = async (): Promise<never> => {
      throw new StorageUnavailable('the object could not be written', { cause: full })
    }
    await probe({ store: { head: fails } as unknown as ObjectStore })
    expect((await healthNow()).components.object_store).toMatchObject({
      status: 'unavailable',
      message: 'disk_full: There is no space left on the disk.',
    })
  })

  it('is degraded with a reason when the store does not keep conditional writes', async () => {
    await probe({ conditions: 'It overwrites.' })
    const health = await healthNow()
    expect(health.status).toBe('degraded')
    expect(health.components.object_store).toMatchObject({ status: 'degraded', message: 'It overwrites.' })
  })

  it('is not lowered by what is not configured', async () => {
    await probe({ nlm: async () => ({ status: 'not_configured', message: null }) })
    expect((await healthNow()).status).toBe('healthy')
  })

  it('calls an answer older than a minute stale, and a component never probed as well', async () => {
    expect((await healthNow()).components.ledger.status).toBe('stale')
    await probe()
    await database.query(
      sql`UPDATE component_health SET checked_at = clock_timestamp() - interval '61 seconds' WHERE component = 'ledger'`,
    )
    const health = await healthNow()
    expect(health.components.ledger.status).toBe('stale')
    expect(health.status).toBe('degraded')
  })

  it('records a change once, not every probe', async () => {
    const before = (await changes()).length
    await probe()
    await probe({ nlm: gone })
    await probe({ nlm: gone })
    await probe()
    expect((await changes()).slice(before)).toEqual([
      { resource_id: 'nlm_backend', from_status: 'healthy', to_status: 'unavailable' },
      { resource_id: 'nlm_backend', from_status: 'unavailable', to_status: 'healthy' },
    ])
  })

  it('keeps the last success of what is gone', async () => {
    await probe()
    const success = (await healthNow()).components.nlm_backend.last_success_at
    await probe({ nlm: gone })
    expect((await healthNow()).components.nlm_backend.last_success_at).toBe(success)
  })

  it('notices events that wait too long for their seal', async () => {
    await onLedger(test.adminUrl, (db) =>
      db.transaction(async (tx) => {
        await tx.query(sql`SET LOCAL session_replication_role = replica`)
        await tx.query(sql`UPDATE event SET ts = ts - interval '1 minute'`)
      }),
    )
    await probe()
    expect((await healthNow()).components.audit.status).toBe('degraded')
  })
})

describe('what a load balancer and Prometheus ask', () => {
  it('serves while ledger, store and garden were found well within the last minute', async () => {
    const serves = () => canServe({ db: web })
    expect(await serves()).toBe(false)
    await probe()
    expect(await serves()).toBe(true)
    await probe({ nlm: gone, conditions: 'It overwrites.' })
    expect(await serves()).toBe(true)
    for (const broken of [{ store: brokenStore }, { garden: gone }]) {
      await probe(broken)
      expect(await serves()).toBe(false)
      await probe()
    }
    await database.query(
      sql`UPDATE component_health SET checked_at = clock_timestamp() - interval '61 seconds' WHERE component = 'git_garden'`,
    )
    expect(await serves()).toBe(false)
  })

  it('does not serve on a ledger without the newest migration', async () => {
    const migrations = path.join(folder, 'migrations')
    await mkdir(path.join(migrations, '20991231000000_later'), { recursive: true })
    await probe({ migrations })
    expect(await canServe({ db: web })).toBe(false)
    const health = await healthNow()
    expect(health.status).toBe('critical')
    expect(health.components.ledger.message).toContain('20991231000000_later')
  })

  it('does not serve without a ledger', async () => {
    const closed = openDatabase('postgresql://nobody:x@127.0.0.1:1/none')
    expect(await canServe({ db: closed })).toBe(false)
    await closed.close()
  })

  it('does not serve on a ledger that takes connections and answers none, and says so soon', async () => {
    const connected = Promise.withResolvers<Socket>()
    const silent = createServer(connected.resolve).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const mute = openDatabase(`postgresql://nobody:x@127.0.0.1:${port}/none`)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const serves = canServe({ db: mute })
    const socket = await connected.promise
    vi.advanceTimersByTime(5_000)
    expect(await serves).toBe(false)
    socket.destroy()
    await mute.close()
  })

  it('counts what waits', async () => {
    expect(await getNavigationCounts({ db: web })).toEqual({
      proposals_waiting: 0,
      proposals_failed: 0,
      inbox_pending: 0,
      runs_running: 0,
      jobs_dead: 0,
      alerts_open: 0,
    })
  })
})
