/**
 * `npm run chaos:tasks`: LLM Tasks through a storm. Three Worker Nodes, two that fetch and one that is called, run real programs of random length; they are
 * killed (−9) and stopped (SIGSTOP), for less or for more than a lease, at random moments; web process and worker are killed twice each, PostgreSQL once.
 *
 * At the end each task is completed once or dead with its reason, none is stuck, what was lost was queued again within 15 s + 2 s of its lease's end, each
 * artifact is what the program answers to its prompt, and no process of a program is left. A few tasks want JSON, which the program never prints: they
 * have to end dead.
 *
 * TASKS (300), SEED. Ends with 1 when anything differs, and when too little happened. About seven minutes.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Client, signedIn } from '../fixtures/bearer.ts'
import { freePort } from '../fixtures/free-port.ts'
import { openLedger } from '../fixtures/ledger.ts'
import { unpackEdge } from '../fixtures/packed-edge.ts'
import { startProduct } from '../fixtures/product.ts'
import { randomOf } from '../fixtures/random.ts'
import { reportOf } from '../fixtures/report.ts'
import { type Expected, judgeRecovery, judgeTasks } from '../fleet/judge-tasks.ts'
import { groupsOf, type Struck, strikeNodes } from '../fleet/node-strikes.ts'
import { endOfGroup } from '../fleet/process-group.ts'
import { ProductStrikes } from '../fleet/product-strikes.ts'
import { TaskNode } from '../fleet/task-node.ts'
import { secretsOf, TaskRuntime } from '../fleet/task-runtime.ts'

const TASKS = Number(process.env.TASKS ?? 300)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const PASSWORD = 'a long enough phrase 42'
const PROGRAM = path.resolve(import.meta.dirname, '../fleet/answer-after-work.sh')
const WAYS = ['pull', 'push', 'pull'] as const
/** Fewer than it takes to open the breaker of a node at once. */
const CONCURRENCY = 2
/** A client of the runtime may send 100 requests a minute. */
const EVERY_MS = 900
const LIMIT_MS = 600_000
const GROUP_MS = 5_000
/** One in so many never gets what it wants. */
const SPOILT = 30

const report = reportOf('chaos:tasks')
report.figure('seed', SEED)
const random = randomOf(SEED)
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-tasks-')))
const product = await startProduct({ env: { BLOOM_OWNER_PASSWORD: PASSWORD } })
const ledger = openLedger(product.home)
const runtime = new TaskRuntime(product, ledger)
const strikes = new ProductStrikes(product, ledger)
const struck: Struck = { killed: 0, stopped: 0, stoppedLong: 0, groupsLost: 0, lastEndMs: 0 }
const nodes: TaskNode[] = []
const expected: Expected[] = []
let isOver = false
try {
  const client = await signedIn(product.url, PASSWORD)
  await startNodes(client)
  const began = performance.now()
  const storm = strikeNodes(nodes, { random, struck, isOver: () => isOver })
  const felled = strikeProduct()
  await createAll()
  await felled
  report.progress('all tasks are created')
  await waitUntil(async () => (await openTasks()) === 0 || (await pause(1_000, false)), {
    what: 'every task to end',
    timeoutMs: LIMIT_MS,
  }).catch((error: Error) => report.check('every task ends', false, error.message))
  isOver = true
  await storm
  report.figure(
    'tasks',
    `${TASKS} in ${Math.round((performance.now() - began) / 1_000)} s, ${nodes.length} nodes`,
  )
  await conclude(client)
} finally {
  isOver = true
  for (const node of nodes) await node.kill()
  await ledger.end()
  await product.stop()
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(report.verdict() ? 0 : 1)

async function startNodes(client: Client): Promise<void> {
  const main = await unpackEdge(folder)
  const runtimeUrl = product.url.replace('localhost', '127.0.0.1')
  const { MEMBRIDGE_AGENT_KEY: agentKey = '' } = secretsOf(product.home)
  for (const [n, way] of WAYS.entries()) {
    const name = `node-${n}`
    const agentPort = await freePort()
    const node = new TaskNode({
      ...{ name, way, main, folder, agentPort, agentKey, runtimeUrl, program: PROGRAM },
      ...{ agentUrl: `http://127.0.0.1:${agentPort}`, concurrency: CONCURRENCY },
      // A connection that has rested may be closed just as it is used again.
      nodeKey: await waitUntil(() => client.nodeKey(name), { what: 'a key' }),
    })
    node.start()
    nodes.push(node)
  }
}

async function createAll(): Promise<void> {
  for (let n = 0; n < TASKS; n++) {
    const due = pause(EVERY_MS)
    const isSpoilt = n % SPOILT === SPOILT - 1
    const question = `Question ${n}: ${'What of the garden '.repeat(1 + Math.floor(random() * 200))}`
    const taskId = await runtime.create(
      {
        prompt: `${question}\n${(0.1 + random() * 1.4).toFixed(1)}`,
        context_id: `context-${n % 40}`,
        desired_format: isSpoilt ? 'json' : 'text',
        max_attempts: isSpoilt ? 2 : 5,
        policy: { timeout_sec: 4 + Math.floor(random() * 2), retry: { base_delay_sec: 1 } },
      },
      () => pause(500),
    )
    expected.push(isSpoilt ? { taskId, reason: 'parse_error' } : { taskId, answer: otherAlphabet(question) })
    if ((n + 1) % 50 === 0) report.progress(`${n + 1} tasks created`)
    await due
  }
}

/** What the program answers. */
function otherAlphabet(text: string): string {
  return text.replace(/[a-zA-Z]/g, (letter) => {
    const first = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first)
  })
}

/** Spread over the time in which tasks are created. */
async function strikeProduct(): Promise<void> {
  const order = [
    () => strikes.web(),
    () => strikes.worker(),
    () => strikes.database(),
    () => strikes.worker(),
    () => strikes.web(),
  ]
  for (const strike of order) {
    await pause((TASKS * EVERY_MS) / (order.length + 1))
    await strike()
  }
}

async function openTasks(): Promise<number> {
  const { rows } = await ledger.query(
    `SELECT count(*)::int AS n FROM llm_task WHERE status NOT IN ('completed', 'dead')`,
  )
  return rows[0].n
}

async function conclude(client: Client): Promise<void> {
  report.figure(
    'nodes struck',
    `${struck.killed} × SIGKILL, ${struck.stopped} × SIGSTOP, ${struck.stoppedLong} × SIGSTOP longer than a lease`,
  )
  report.figure(
    'product struck',
    strikes.outages
      .map(({ what, from, to }) => `${what} away ${((to - from) / 1_000).toFixed(1)} s`)
      .join(', '),
  )
  const completed = await judgeTasks(ledger, expected, report)
  const lost = await judgeRecovery(ledger, strikes.outages, report)
  const refused = await ledger.query(`SELECT count(*)::int AS n FROM event WHERE name = 'lease.refused'`)
  report.figure('late reports', `${refused.rows[0].n} refused`)
  const leases = await ledger.query(
    `SELECT (SELECT count(*)::int FROM task_lease WHERE status = 'active') AS active, (SELECT sum(active_leases)::int FROM worker_node) AS taken`,
  )
  report.check(
    'no lease and no slot is left',
    leases.rows[0].active === 0 && leases.rows[0].taken === 0,
    leases.rows[0],
  )
  const answers = new Map(expected.map((one) => [one.taskId, 'answer' in one ? one.answer : null]))
  const different: string[] = []
  for (const { task_id, artifact_id } of completed) {
    const { content } = await waitUntil(() => client.artifact(artifact_id ?? ''), {
      what: `the artifact of ${task_id}`,
    })
    if (content.output !== answers.get(task_id)) different.push(task_id)
  }
  report.check(
    `every artifact is what its prompt is answered with (${completed.length} read back)`,
    different.length === 0,
    different,
  )
  await judgeProcesses()
  report.check('the audit verifies', await client.auditIsGood())
  const isEnough =
    struck.killed >= TASKS / 60 &&
    struck.stopped + struck.stoppedLong >= TASKS / 60 &&
    lost >= TASKS / 60 &&
    strikes.outages.length === 5
  report.check('enough happened', isEnough, { ...struck, lost, outages: strikes.outages.length })
}

/** A node that was killed takes its programs with it, and one that runs has none once its tasks are over. */
async function judgeProcesses(): Promise<void> {
  report.figure(
    'programs',
    `${struck.groupsLost} under way when their node was killed, gone ${(struck.lastEndMs / 1_000).toFixed(2)} s later at most`,
    '≤ 5 s',
  )
  const groups = nodes.flatMap(groupsOf)
  const left: number[] = []
  for (const group of groups) if ((await endOfGroup(group, GROUP_MS)) === null) left.push(group)
  report.check(
    `no process of ${groups.length} programs is left`,
    left.length === 0 && struck.lastEndMs <= GROUP_MS,
    left,
  )
}
