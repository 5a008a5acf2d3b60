import { setTimeout as sleep } from 'node:timers/promises'
import { HEARTBEAT_SECONDS, SCAN_SECONDS } from '#domain/job/job.rules.ts'
import type { NlmClient } from '#server/jobs/nlm-client.ts'
import { handOverRuns } from '#server/runs/hand-over-runs.ts'
import { projectLater } from '#server/runs/project-run.ts'
import { RunSupervisor } from '#server/runs/run-supervisor.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

type Parts = Pick<
  Services,
  'env' | 'db' | 'store' | 'garden' | 'executors' | 'log' | 'entryHandlers' | 'orchestration'
>

/**
 * The runs of this worker: one loop hands requested runs to the engine and looks for work at every notification and at least every 2 s, one renews the leases every 10 s; `stop`
 * releases the active runs. Register both loops; stop the first before the second.
 */
export function runLoops(
  parts: Parts,
  holder: string,
  nlm?: Pick<NlmClient, 'cancel'>,
): { loops: Loop[]; stop(): Promise<void> } {
  const supervisor = new RunSupervisor(
    { ...parts, holder, pause: pauseUntil, ...(nlm && { nlm }) },
    { capacity: parts.env.WORKER_RUNS },
  )
  const runs: Loop = {
    name: 'runs',
    everyMs: SCAN_SECONDS * 1000,
    on: ['runs', 'jobs'],
    async tick() {
      const taken = await handOverRuns(parts)
      await Promise.all(taken.map((id) => projectLater(parts, id)))
      return (await supervisor.tick()) > 0 ? 'again' : 'idle'
    },
  }
  const leases: Loop = {
    name: 'run-heartbeat',
    everyMs: HEARTBEAT_SECONDS * 1000,
    async tick() {
      await supervisor.heartbeat()
      return 'idle'
    },
  }
  return { loops: [runs, leases], stop: () => supervisor.stop() }
}

async function pauseUntil(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => {})
}
