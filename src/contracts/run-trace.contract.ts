import { z } from 'zod'
import { runDetail, runPhase, runSpan, runStatus, runStepView } from './run.contract.ts'

const spanAttributes = z.object({ job_id: z.string(), task_id: z.string() }).partial()

/**
 * A run on one time axis ([runs#phases]): phases, steps and bars, and the ids of what it made. Times are ISO 8601 UTC, `…_ms` milliseconds,
 * `start_ms` counts from the request; a null `ms` goes on.
 */
export const runTrace = z.object({
  run_id: z.string(),
  agent: z.string(),
  status: runStatus,
  /** From the request to the end; null while the run goes on. */
  duration_ms: z.number().nullable(),
  phases: z.array(runPhase.pick({ phase: true, name: true, started_at: true, ms: true, state: true })),
  steps: z.array(
    runStepView.pick({ name: true, status: true, duration_ms: true, attempts: true }).extend({
      /** Its number, 1 to 4. */
      id: z.number(),
    }),
  ),
  spans: z.array(
    runSpan.omit({ phase: true, job_id: true, task_id: true }).extend({
      /** The job or the LLM Task that the call waited for. */
      attrs: spanAttributes,
    }),
  ),
  /** Resumes after a lost lease. */
  markers: runDetail.shape.markers,
  proposals_created: z.array(z.string()),
  jobs: z.array(z.string()),
})
export type RunTrace = z.infer<typeof runTrace>
