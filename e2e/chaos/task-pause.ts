/**
 * `npm run chaos:task-pause`: a node that runs an LLM Task is stopped (SIGSTOP) for longer than its lease, before and after each step of what it does with
 * it, and goes on (SIGCONT) while another works on the task, or after that has answered.
 *
 * The product is whole, each node a real `membridge work` or agent with a program that does what it is told. What is shown: every late heartbeat and report is
 * answered 409 and recorded as `lease.refused` (a node whose lease is over by its own clock writes nothing at all), the second node's answer is the task's, once, and the first has ended its program's process group within 5 s
 * of the refusal. In the two steps after an accepted report its own answer stands, and the same report again is answered as before.
 *
 * TRIES (100), PAIRS of nodes side by side (20), SEED. Ends with 1 at an exception, and when too little happened. About six minutes.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { signedIn } from '../fixtures/bearer.ts'
import { freePort } from '../fixtures/free-port.ts'
import { openLedger } from '../fixtures/ledger.ts'
import { unpackEdge } from '../fixtures/packed-edge.ts'
import { startProduct } from '../fixtures/product.ts'
import { randomOf } from '../fixtures/random.ts'
import { reportOf } from '../fixtures/report.ts'
import { PAUSE_STEPS } from '../fleet/pause-steps.ts'
import { type Pair, type Tried, tryPause } from '../fleet/pause-trial.ts'
import { TaskNode } from '../fleet/task-node.ts'
import { secretsOf, TaskRuntime } from '../fleet/task-runtime.ts'
import { TaskWire } from '../fleet/task-wire.ts'

const TRIES = Number(process.env.TRIES ?? 100)
const PAIRS = Math.min(Number(process.env.PAIRS ?? 20), TRIES)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const PASSWORD = 'a long enough phrase 42'
const PROGRAM = path.resolve(import.meta.dirname, '../fleet/answer-on-demand.sh')
const WAYS = [
  ['pull', 'pull'],
  ['push', 'push'],
  ['pull', 'push'],
] as const

const report = reportOf('chaos:task-pause')
report.figure('seed', SEED)
const random = randomOf(SEED)
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-pause-')))
const wire = new TaskWire()
await wire.listen()
const product = await startProduct({ env: { BLOOM_OWNER_PASSWORD: PASSWORD, RUNTIME_URL: wire.url } })
wire.target = product.url.replace('localhost', '127.0.0.1')
const ledger = openLedger(product.home)
const runtime = new TaskRuntime(product, ledger)
const pairs: Pair[] = []
const tried: Tried[] = []
const faults: string[] = []
try {
  await startNodes()
  report.progress(`${pairs.length * 2} nodes run`)
  const began = performance.now()
  let next = 0
  await Promise.all(
    pairs.map(async (pair) => {
      while (next < TRIES) await once(pair, next++)
    }),
  )
  conclude((performance.now() - began) / 1_000)
} finally {
  for (const { nodes } of pairs) for (const node of nodes) await node.kill()
  await ledger.end()
  await product.stop()
  await wire.close()
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(report.verdict() ? 0 : 1)

async function startNodes(): Promise<void> {
  const owner = await signedIn(product.url, PASSWORD)
  const main = await unpackEdge(folder)
  const { MEMBRIDGE_AGENT_KEY: agentKey = '' } = secretsOf(product.home)
  for (let n = 0; n < PAIRS; n++) {
    const label = `pair-${n}`
    const nodes = await Promise.all(
      (WAYS[n % WAYS.length] ?? WAYS[0]).map(async (way, k) => {
        const name = `${label}-${'ab'[k]}`
        const agentPort = await freePort()
        wire.addAgent(name, `http://127.0.0.1:${agentPort}`)
        const node = new TaskNode({
          ...{ name, way, main, folder, agentPort, agentKey, labels: label, program: PROGRAM },
          ...{ runtimeUrl: `${wire.url}/n/${name}`, agentUrl: `${wire.url}/a/${name}` },
          // A connection that has rested may be closed just as it is used again.
          nodeKey: await waitUntil(() => owner.nodeKey(name), { what: 'a key' }),
        })
        node.start()
        return node
      }),
    )
    pairs.push({ label, nodes: nodes as [TaskNode, TaskNode] })
  }
}

async function once(pair: Pair, n: number): Promise<void> {
  const step = PAUSE_STEPS[n % PAUSE_STEPS.length]
  if (!step) return
  // Every step in each of its variants, as far as there are tries.
  const variant = Math.floor(n / PAUSE_STEPS.length + SEED) % 8
  try {
    const one = await tryPause(pair, { step, variant }, { wire, runtime, folder, random })
    tried.push(one)
    faults.push(...one.faults)
    for (const fault of one.faults) report.progress(fault)
  } catch (error) {
    faults.push((error as Error).message)
    report.progress((error as Error).message)
    for (const node of pair.nodes) node.resume()
  }
  if (tried.length % 20 === 0) report.progress(`${tried.length} tries`)
}

function conclude(seconds: number): void {
  report.figure('tries', `${tried.length} in ${Math.round(seconds)} s, ${PAIRS} pairs of nodes side by side`)
  for (const { name, reported } of PAUSE_STEPS) {
    const those = tried.filter(({ step }) => step === name)
    const sum = (of: (one: Tried) => number) => those.reduce((total, one) => total + of(one), 0)
    const refusals = reported
      ? `${sum(({ repeats }) => repeats)} repeats answered`
      : `${sum(({ refusedBeats }) => refusedBeats)} heartbeats and ${sum(({ refusedReports }) => refusedReports)} reports refused, ${sum(({ gaveUp }) => Number(gaveUp))} given up unasked`
    const bad = those.filter((one) => one.faults.length > 0).length
    report.progress(
      `${name}: ${those.length} tries, ${refusals}, child dead ${most(those, 'endedAfterMs')} after SIGCONT, ${bad} exceptions`,
    )
  }
  report.figure('child dead', `${most(tried, 'endedAfterMs')} after SIGCONT at most`)
  report.figure('', `${most(tried, 'noticedAfterMs')} after the first refusal at most`, '≤ 5 s')
  report.check('no exception', faults.length === 0, faults)
  report.check(`all ${TRIES} tries came to their end`, tried.length === TRIES, tried.length)
  const steps = PAUSE_STEPS.filter(({ name }) => tried.some(({ step }) => step === name)).length
  report.check('every step was tried', steps === Math.min(PAUSE_STEPS.length, TRIES), steps)
  const beats = tried.filter(({ refusedBeats }) => refusedBeats > 0).length
  const reports = tried.filter(({ refusedReports }) => refusedReports > 0).length
  const ended = tried.filter(({ endedAfterMs }) => endedAfterMs !== null).length
  const enough = Math.floor(TRIES / 5)
  const isEnough = beats >= enough && reports >= enough && ended >= enough
  report.check('enough late heartbeats, late reports and children to end', isEnough, [beats, reports, ended])
}

function most(those: readonly Tried[], what: 'endedAfterMs' | 'noticedAfterMs'): string {
  const times = those.flatMap((one) => one[what] ?? [])
  return times.length === 0 ? '–' : `${(Math.max(...times) / 1_000).toFixed(2)} s`
}
