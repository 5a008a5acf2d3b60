/**
 * A worker process with the product's loops and phases that return at once. Started by tests, the bench and the chaos programme; says
 * `ready` on standard output, stops on SIGTERM.
 *
 *   DATABASE_URL   the ledger               WORKER_JOBS  concurrency (64)
 *   STORE_DIR      puts artifacts there     UP_TO_MS     how long a phase may take
 *   PROJECT=1      runs the projector, too, which writes into STORE_DIR
 *   DIE_IN         assemble, call or write: the process kills itself there
 *   LOG_STARTS=1  one line for each job's start, with the machine's clock in milliseconds
 */
import { randomUUID } from 'node:crypto'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createLog } from '#server/composition/log.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import { createPipeline } from '#worker/handlers/job-pipeline.ts'
import { heartbeatLoop } from '#worker/loops/heartbeat.loop.ts'
import { jobWatchLoop } from '#worker/loops/job-watch.loop.ts'
import { startLoop } from '#worker/loops/loop.ts'
import { orchestratorLoop } from '#worker/loops/orchestrator.loop.ts'
import { projectorLoop } from '#worker/loops/projector.loop.ts'
import { reaperLoop } from '#worker/loops/reaper.loop.ts'
import { sealerLoop } from '#worker/loops/sealer.loop.ts'
import { instantPhases, type Phase } from './instant-phases.ts'

const { env } = process
const say = (line: string) => process.stdout.write(`${line}\n`)
const url = env.DATABASE_URL ?? ''
const notifier = openNotifier(url)
const database = openDatabase(url, { connections: 6, name: 'instant-worker', notify: notifier.notify })
const holder = `instant:${process.pid}:${randomUUID().slice(0, 8)}`
const parts = { db: database, notifier, log: createLog({ LOG_LEVEL: 'error' }, 'instant-worker') }

function onPhase(phase: Phase, jobId: string): void {
  if (env.DIE_IN === phase) process.kill(process.pid, 'SIGKILL')
  if (env.LOG_STARTS === '1' && phase === 'assemble')
    say(`start ${jobId} ${performance.timeOrigin + performance.now()}`)
}
const stored = env.STORE_DIR
  ? { db: database, store: await openDirectoryStore(env.STORE_DIR, { together: true }) }
  : null
const phases = instantPhases({
  onPhase,
  upToMs: Number(env.UP_TO_MS ?? 0),
  ...(stored ? { stored } : {}),
})
const projector = stored && env.PROJECT === '1' ? projectorLoop(stored, holder) : null
const run = createPipeline(
  { ...parts, env: { BLOOM_JOB_TOKEN_KEY: 'b'.repeat(43) } },
  { RESEARCH: phases, BRIEF: null, PROPOSAL_PREPROCESS: null },
)
const orchestrator = orchestratorLoop(parts, { holder, concurrency: Number(env.WORKER_JOBS ?? 64), run })
const running = [
  sealerLoop(parts),
  ...(projector ? [projector] : []),
  heartbeatLoop(parts, holder),
  reaperLoop(parts),
  jobWatchLoop(parts, { holder }),
  orchestrator,
].map((loop) => startLoop(loop, parts))
process.once('SIGTERM', async () => {
  for (const loop of running.reverse()) await loop.stop()
  await orchestrator.drain()
  await projector?.stop()
  await notifier.close()
  await database.close()
  const { rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  say(`used ${Math.round(rss / 1_048_576)} MB, ${Math.round((user + system) / 1_000)} ms of processor`)
})
say('ready')
