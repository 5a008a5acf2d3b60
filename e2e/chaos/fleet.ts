/**
 * Fleets of real processes over a real S3 server: `npm run chaos:fleet`, some minutes.
 *
 * The product runs with its control plane; beside it several projects at once, of three nodes each. Every round has its primary push and be
 * stopped (SIGSTOP) or killed (−9) at a random moment, another promoted meanwhile, the new primary push, and the old one go on or come
 * back. Every tenth round of a project waits for the lease to end by itself instead. Requests of nodes and product pass a proxy that refuses
 * some, loses the answers of some writes, and writes down what the server accepted; from that `judge-history.ts` says what must never be.
 *
 * ROUNDS (200), PROJECTS (10), SEED. Ends with 1 at a violation, and when too little happened to say anything.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureBucket, openS3Store } from '#server/adapters/object-store/s3.ts'
import { freePort } from '../fixtures/free-port.ts'
import { startProduct } from '../fixtures/product.ts'
import { randomOf } from '../fixtures/random.ts'
import { reportOf } from '../fixtures/report.ts'
import { judge } from '../fleet/judge-history.ts'
import { Project, type Tally } from '../fleet/project.ts'
import { startRecordingProxy } from '../fleet/recording-proxy.ts'
import { startConditionGateway } from '../s3-server/condition-gateway.ts'
import { startS3Server } from '../s3-server/start-s3-server.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 200)
const PROJECTS = Number(process.env.PROJECTS ?? 10)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
/** A lease, the least that is admitted; the failover of a primary that is gone may take so much longer. */
const LEASE_SECONDS = 60
const FAILOVER_AIM = 15
/** Of what must happen, at least so often in a hundred rounds. */
const ENOUGH = { stopped: 20, killed: 20, stale: 5, promoted: 60, pushed: 60, raced: 5 }

const report = reportOf('chaos:fleet')
report.figure('seed', SEED)
const random = randomOf(SEED)
const server = await startS3Server()
if ('unavailable' in server) throw new Error(`no S3 server: ${server.unavailable}`)
const { accessKey, secretKey } = server
const bucket = `fleet-${randomUUID().slice(0, 8)}`
await ensureBucket({ ...server, bucket })
const storeEnv = (endpoint: string) => ({
  MINIO_ENDPOINT: endpoint,
  MINIO_ACCESS_KEY: accessKey,
  MINIO_SECRET_KEY: secretKey,
  MINIO_BUCKET: bucket,
})

const store = openS3Store({ endpoint: server.endpoint, accessKey, secretKey, bucket })

await refusedWithoutConditions()
// The product starts over a sound way; what is spoilt is the fleet's work.
const spoiling = { refused: 0, lost: 0, random }
const proxy = await startRecordingProxy(server.endpoint, spoiling)
const adminKey = randomUUID().repeat(2)
const port = await freePort()
const product = await startProduct({
  env: {
    ...storeEnv(proxy.endpoint),
    MEMBRIDGE_PORT: String(port),
    MEMBRIDGE_URL: `http://127.0.0.1:${port}`,
    MEMBRIDGE_ADMIN_KEY: adminKey,
  },
})
Object.assign(spoiling, { refused: 0.02, lost: 0.02 })
const controlPlane = { url: `http://127.0.0.1:${port}`, adminKey }
const tally: Tally = {
  rounds: 0,
  stopped: 0,
  killed: 0,
  stale: 0,
  promoted: 0,
  pushed: 0,
  raced: 0,
  faults: [],
}
const failovers: number[] = []
try {
  const projects = Array.from(
    { length: PROJECTS },
    (_, n) =>
      new Project(`fleet-${n}`, {
        controlPlane,
        random,
        env: storeEnv(proxy.endpoint),
        tally,
        writes: proxy.writes,
        store,
        leaseSeconds: LEASE_SECONDS,
      }),
  )
  await Promise.all(
    projects.map(async (project, n) => {
      await project.begin()
      const rounds = Math.floor(((n + 1) * ROUNDS) / PROJECTS) - Math.floor((n * ROUNDS) / PROJECTS)
      for (let round = 1; round <= rounds; round++) {
        if (round % 10 === 0) failovers.push(await project.failover())
        else if (round % 5 === 0) await project.race()
        else await project.round(random() < 0.5 ? 'SIGSTOP' : 'SIGKILL')
        tally.rounds++
        if (tally.rounds % 20 === 0) report.progress(`${tally.rounds} rounds`)
      }
      report.check(
        `${project.name}: all nodes end with the same content`,
        await project.settle(),
        project.trouble,
      )
    }),
  )
  // What a selection left open is ended by the scan, which has no more than 20 s for it.
  await pause(20_000)
  for (const project of projects) {
    const faults = judge(project.ownWrites())
    report.check(`${project.name}: nothing of what must never be`, faults.length === 0, faults)
    report.check(
      `${project.name}: fenced, one audit object a selection`,
      await project.isWhole(),
      project.trouble,
    )
    project.remove()
  }
  conclude()
} finally {
  await product.stop()
  await proxy.close()
  await server.stop()
}
process.exit(report.verdict() ? 0 : 1)

function conclude(): void {
  const { faults, ...counts } = tally
  for (const [name, count] of Object.entries(counts)) report.figure(name, count)
  report.figure(
    'requests',
    `${proxy.counts.requests}, ${proxy.counts.refused} refused, ${proxy.counts.lost} answers lost`,
  )
  if (failovers.length > 0)
    report.figure(
      'failover',
      `${Math.max(...failovers).toFixed(1)} s after the lease's end at most, of ${failovers.length}`,
      `≤ ${FAILOVER_AIM} s`,
    )
  report.check('every report agrees with what the store accepted', faults.length === 0, faults.slice(0, 10))
  for (const [name, least] of Object.entries(ENOUGH)) {
    const wanted = Math.floor(((least ?? 0) * ROUNDS) / 100)
    const happened = counts[name as keyof typeof counts]
    report.check(`enough ${name}`, happened >= wanted, `${happened} of at least ${wanted}`)
  }
}

/** Behind a proxy that drops conditions a node refuses to push, and writes nothing of leadership. */
async function refusedWithoutConditions(): Promise<void> {
  if ('unavailable' in server) return
  const dropping = await startConditionGateway(server, 'none')
  const recording = await startRecordingProxy(dropping.endpoint, { refused: 0, lost: 0, random })
  const [node] = Project.nodes('unconditional', storeEnv(recording.endpoint), 1)
  const ended = await node?.run(['push', '--project', 'unconditional'])
  report.check('a store without conditions is refused at the start', ended?.code === 1, ended)
  report.check(
    'and nothing is written to it',
    recording.writes.length === 0,
    recording.writes.map(({ key }) => key),
  )
  report.progress(ended?.stderr.split('\n')[0] ?? '')
  node?.remove()
  await recording.close()
  await dropping.close()
}
