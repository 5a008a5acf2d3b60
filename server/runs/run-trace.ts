import type { RunDetail } from '#contracts/run.contract.ts'
import type { RunTrace } from '#contracts/run-trace.contract.ts'

/** The trace of a run, of the same facts as its page ([runs#phases]). */
export const traceOf = (run: RunDetail): RunTrace => ({
  run_id: run.run_id,
  agent: run.agent_slug,
  status: run.status,
  duration_ms: run.finished_at ? Date.parse(run.finished_at) - Date.parse(run.requested_at) : null,
  phases: run.phases,
  steps: run.steps.map(({ step, ...more }) => ({ id: step, ...more })),
  spans: run.spans.map(({ job_id, task_id, ...span }) => ({
    ...span,
    attrs: { ...(job_id && { job_id }), ...(task_id && { task_id }) },
  })),
  markers: run.markers,
  proposals_created: run.proposals_created.map(({ proposal_id }) => proposal_id),
  jobs: run.job_list.map(({ job_id }) => job_id),
})
