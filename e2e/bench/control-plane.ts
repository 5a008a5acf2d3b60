/**
 * The control plane under a fleet: heartbeats of 200 nodes, one each ten seconds, while it is killed once; and its lists at 10 000 nodes and 100 000
 * syncs. It runs as the product starts it; what is measured goes over HTTP. SECONDS (60) of heartbeats.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../fixtures/free-port.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { startProduct } from '../fixtures/product.ts'
import type { Figures } from './figures.ts'
import { allProcesses, memoryOf } from './processes.ts'
import { percentile } from './statistics.ts'

const NODES = 200
const INTERVAL_MS = 10_000
const SECONDS = Number(process.env.SECONDS ?? 60)
const FLEET = { nodes: 10_000, syncs: 100_000 }
const READS = 100
const LISTS = [
  '/projects',
  '/agents',
  '/projects/bench-0/nodes',
  '/jobs?limit=200',
  '/jobs?kind=sync&status=failed',
  '/jobs?project=project-7',
]

export async function benchControlPlane(figures: Figures): Promise<void> {
  const [port, adminKey] = [await freePort(), randomUUID().repeat(2)]
  const url = `http://127.0.0.1:${port}`
  const product = await startProduct({
    env: {
      MEMBRIDGE_PORT: String(port),
      MEMBRIDGE_URL: url,
      MEMBRIDGE_ADMIN_KEY: adminKey,
      LOG_LEVEL: 'warn',
    },
  })
  const call = caller(url, adminKey)
  try {
    const beats = await beat(call, async () => process.kill(await processOn(port), 'SIGKILL'))
    addTimes(figures, `heartbeats of ${NODES} nodes`, beats.times, 20)
    figures.add('met the kill', beats.failed, { unit: 'beats' })
    figures.add('longest silence', beats.silence / 1_000, { unit: 's' })
    const { rows } = await inLedger(
      product.home,
      `SELECT count(*)::int AS nodes, count(*) FILTER (WHERE last_seen > clock_timestamp() - interval '25 seconds')::int AS fresh FROM membridge_node`,
    )
    figures.add('nodes known after the kill', rows[0].nodes, { unit: '', aim: { least: NODES } })
    figures.add('nodes heard since', rows[0].fresh, { unit: '', aim: { least: NODES } })
    await fill(product.home)
    for (const address of LISTS) addTimes(figures, address, await timed(call, address), 50)
    const { rss } = memoryOf(await processOn(port))
    figures.add('RSS', rss, { unit: 'MB', aim: { most: 120 } })
  } finally {
    await product.stop()
  }
}

type Call = (method: string, path: string, body?: object) => Promise<number>

/** Milliseconds that a call took; throws when it was not answered with success. */
const caller =
  (url: string, adminKey: string): Call =>
  async (method, path, body) => {
    const begun = performance.now()
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'X-MEMBRIDGE-ADMIN': adminKey, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return performance.now() - begun
  }

/** Every node beats at its own moment of the interval; half way through the control plane is killed. */
async function beat(call: Call, kill: () => Promise<unknown>) {
  const times: number[] = []
  let [failed, lastAnswer, silence] = [0, performance.now(), 0]
  const endAt = performance.now() + SECONDS * 1000
  const killing = pause((SECONDS * 1000) / 2).then(kill)
  const node = async (n: number) => {
    await pause((n * INTERVAL_MS) / NODES)
    while (performance.now() < endAt) {
      const next = performance.now() + INTERVAL_MS
      try {
        times.push(await call('POST', '/agent/heartbeat', beatOf(n)))
        silence = Math.max(silence, performance.now() - lastAnswer)
        lastAnswer = performance.now()
      } catch {
        failed++
      }
      await pause(Math.max(0, next - performance.now()))
    }
  }
  await Promise.all([killing, ...Array.from({ length: NODES }, (_, n) => node(n))])
  return { times, failed, silence }
}

const beatOf = (n: number) => ({
  node_id: `node-${n}`,
  canonical_id: `bench-${n % 10}`,
  project_id: `bench ${n % 10}`,
  obs_count: 1000 + n,
  agent_version: '1.0.0',
  ip_addrs: ['10.0.0.1'],
})

async function timed(call: Call, address: string): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < READS; n++) times.push(await call('GET', address))
  return times
}

async function fill(home: string): Promise<void> {
  await inLedger(
    home,
    `INSERT INTO membridge_node (canonical_id, node_id, project_id, obs_count, ip_addrs, admin_key)
     SELECT 'project-' || n % 100, 'filled-' || n, 'project-' || n % 100, n, '{10.0.0.1}', false FROM generate_series(1, $1::int) n`,
    [FLEET.nodes],
  )
  await inLedger(
    home,
    `INSERT INTO membridge_project (canonical_id, name, source, registered_by)
     SELECT 'project-' || n, 'project-' || n, 'heartbeat', 'bench' FROM generate_series(0, 99) n`,
  )
  await fillSyncs(home)
  await inLedger(home, 'ANALYZE membridge_node, membridge_project, membridge_sync')
}

/** Ended syncs, written past the guard of their states. */
const fillSyncs = (home: string) =>
  inLedger(
    home,
    `BEGIN; SET LOCAL session_replication_role = replica;
     INSERT INTO membridge_sync (sync_id, status, action, project, agent, canonical_id, requested_by, created_at, finished_at, detail, stdout)
     SELECT lpad(to_hex(n), 16, '0'), CASE n % 10 WHEN 0 THEN 'failed' ELSE 'completed' END, CASE n % 2 WHEN 0 THEN 'push' ELSE 'pull' END,
       'project-' || n % 100, 'agent-' || n % 50, 'project-' || n % 100, 'bench', clock_timestamp() - n * interval '1 second',
       clock_timestamp() - n * interval '1 second', 'done', repeat('line of output ', 20) FROM generate_series(1, ${FLEET.syncs}) n;
     COMMIT`,
  )

function addTimes(figures: Figures, name: string, times: readonly number[], most: number): void {
  figures.add(`${name}, p50`, percentile(times, 0.5), { unit: 'ms' })
  figures.add(`${name}, p95`, percentile(times, 0.95), { unit: 'ms', aim: { most } })
}

/** The process that listens on the port, among the control planes that run here. */
async function processOn(port: number): Promise<number> {
  for (const { pid, command } of allProcesses()) {
    if (!/control-plane(\/main\.ts|\.mjs)/.test(command)) continue
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (environment.split('\0').includes(`MEMBRIDGE_PORT=${port}`)) return pid
  }
  throw new Error('the control plane does not run')
}
