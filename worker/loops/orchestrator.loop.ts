import type { Services } from '#server/composition/services.ts'
import type { HeldJob } from '#server/jobs/held-job.ts'
import { claimJobs } from '#server/jobs/pick-up-jobs.ts'
import type { Pipeline } from '#worker/handlers/job-pipeline.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 2_000

type Parts = Pick<Services, 'database' | 'hints' | 'log'>

/**
 * Claims jobs for free places and runs them side by side. A place is taken while a job is in this process's hands: a job that only waits
 * for the NotebookLM Backend takes none. Places that come free make the loop look again at once. A stopping worker lets what it has in
 * hand finish, each within the limit of its phase.
 */
export function orchestratorLoop(
  parts: Parts,
  { holder, places, run }: { holder: string; places: number; run: Pipeline },
): Loop & { drain(): Promise<void> } {
  const inHand = new Set<Promise<void>>()

  const begin = (job: HeldJob, ring: () => void) => {
    const work: Promise<void> = run(job)
      .catch((error) => parts.log.error({ err: error, job_id: job.job_id }, 'a job was left to its lease'))
      .finally(() => {
        inHand.delete(work)
        ring()
        parts.hints.hint('events')
      })
    inHand.add(work)
  }
  return {
    name: 'orchestrator',
    everyMs: SCAN_MS,
    on: ['jobs'],
    async tick(_signal, ring) {
      const free = places - inHand.size
      if (free <= 0) return 'idle'
      const claimed = await claimJobs(parts, { holder, limit: free })
      for (const job of claimed) begin(job, ring)
      return claimed.length > 0 ? 'again' : 'idle'
    },
    drain: async () => {
      await Promise.allSettled(inHand)
    },
  }
}
