/**
 * A worker process with the product's loops and phases that return at once: what remains is the queue itself. Started by the bench
 * and chaos programmes with DATABASE_URL; says `ready` on standard output, stops on SIGTERM.
 */
import { randomUUID } from 'node:crypto'
import { createLog } from '#server/composition/log.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { openHints } from '#server/ledger/hints.ts'
import { createPipeline } from '#worker/handlers/job-pipeline.ts'
import { heartbeatLoop } from '#worker/loops/heartbeat.loop.ts'
import { jobWatchLoop } from '#worker/loops/job-watch.loop.ts'
import { startLoop } from '#worker/loops/loop.ts'
import { orchestratorLoop } from '#worker/loops/orchestrator.loop.ts'
import { reaperLoop } from '#worker/loops/reaper.loop.ts'
import { sealerLoop } from '#worker/loops/sealer.loop.ts'
import { instantPhases } from './instant-phases.ts'

const url = process.env.DATABASE_URL ?? ''
const database = openDatabase(url, { connections: 6, name: 'bench-worker' })
const hints = openHints(url)
const log = createLog({ LOG_LEVEL: 'error' }, 'bench-worker')
const holder = `bench:${process.pid}:${randomUUID().slice(0, 8)}`
const parts = { db: database.db, database, hints, log }
const phases = instantPhases((line) => process.stdout.write(`${line}\n`), process.env.BENCH_TELL === '1')
const run = createPipeline(
  { ...parts, env: { BLOOM_JOB_TOKEN_KEY: 'b'.repeat(43) } },
  { RESEARCH: phases, BRIEF: null, PROPOSAL_PREPROCESS: null },
)
const orchestrator = orchestratorLoop(parts, { holder, places: Number(process.env.WORKER_JOBS ?? 64), run })
const loops = [
  sealerLoop(parts),
  heartbeatLoop(parts, holder),
  reaperLoop(parts),
  jobWatchLoop(parts, { holder }),
  orchestrator,
].map((loop) => startLoop(loop, parts))
process.stdout.write('ready\n')

process.once('SIGTERM', async () => {
  for (const loop of loops.reverse()) await loop.stop()
  await orchestrator.drain()
  await hints.close()
  await database.close()
  const { rss } = process.memoryUsage()
  process.stdout.write(`rss ${Math.round(rss / 1048576)}\n`)
})
