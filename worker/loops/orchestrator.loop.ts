import { SCAN_SECONDS } from '#domain/job/job.rules.ts'
import type { LeasedJob } from '#server/jobs/job-row.ts'
import { claimJobs } from '#server/jobs/queue.ts'
import type { Services } from '#server/services.ts'
import type { Pipeline } from '#worker/handlers/job-pipeline.ts'
import type { Loop } from './loop.ts'

/** A claim takes at most half of the places, so that one batch is claimed while the other commits, each on a connection of its own. */
const SHARES = 2

type Parts = Pick<Services, 'db' | 'log'>

/**
 * Claims jobs and runs them concurrently, at most `concurrency` at a time. A job that only waits for the NotebookLM Backend does not count.
 * A job that ends requests a tick. A stopping worker lets its running jobs finish, each within the limit of its phase (`drain`).
 */
export function orchestratorLoop(
  parts: Parts,
  { holder, concurrency, run }: { holder: string; concurrency: number; run: Pipeline },
): Loop & { drain(): Promise<void> } {
  const running = new Set<Promise<void>>()

  const start = (job: LeasedJob, requestTick: () => void) => {
    const work: Promise<void> = run(job)
      .catch((error) => parts.log.error({ err: error, job_id: job.job_id }, 'a job was left to its lease'))
      .finally(() => {
        running.delete(work)
        requestTick()
      })
    running.add(work)
  }
  return {
    name: 'orchestrator',
    everyMs: SCAN_SECONDS * 1_000,
    on: ['jobs'],
    async tick(_signal, requestTick) {
      const limit = Math.min(concurrency - running.size, Math.ceil(concurrency / SHARES))
      if (limit <= 0) return 'idle'
      const claimed = await claimJobs(parts, { holder, limit })
      for (const job of claimed) start(job, requestTick)
      return claimed.length > 0 ? 'again' : 'idle'
    },
    drain: async () => {
      await Promise.allSettled(running)
    },
  }
}
