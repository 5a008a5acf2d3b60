import { setTimeout as rest } from 'node:timers/promises'
import { HEARTBEAT_SECONDS, SCAN_SECONDS } from '#domain/job/job.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { openDoors } from '#server/runs/open-doors.ts'
import { createRunKeeper } from '#server/runs/run-keeper.ts'
import type { Loop } from './loop.ts'

type Parts = Pick<
  Services,
  'env' | 'db' | 'database' | 'store' | 'garden' | 'executor' | 'hints' | 'log' | 'entryHandlers'
>

/**
 * The runs of this worker: one loop looks for work at every hint and at least every 2 s, one renews the leases every 10 s;
 * `stop` hands back what is held. Register both loops; stop the first before the second.
 */
export function runLoops(parts: Parts, holder: string): { loops: Loop[]; stop(): Promise<void> } {
  const keeper = createRunKeeper(
    { ...parts, holder, doors: openDoors(parts), pause: pauseUntil },
    { capacity: parts.env.WORKER_RUNS },
  )
  const runs: Loop = {
    name: 'runs',
    everyMs: SCAN_SECONDS * 1000,
    on: ['runs', 'jobs'],
    async tick() {
      return (await keeper.tick()) > 0 ? 'again' : 'idle'
    },
  }
  const leases: Loop = {
    name: 'run-heartbeat',
    everyMs: HEARTBEAT_SECONDS * 1000,
    async tick() {
      await keeper.heartbeat()
      return 'idle'
    },
  }
  return { loops: [runs, leases], stop: keeper.stop }
}

async function pauseUntil(ms: number, signal?: AbortSignal): Promise<void> {
  await rest(ms, undefined, signal ? { signal } : {}).catch(() => {})
}
