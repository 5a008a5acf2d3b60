import sql, { type Sql } from 'sql-template-tag'
import { type RunRow as RunRowView, runError } from '#contracts/run.contract.ts'
import { STEPS } from '#domain/run/step.machine.ts'
import { isFinal, type RunRow } from './run-row.ts'
import { titleOf } from './run-title.ts'

/** The columns of a run `r` as `runView` expects them, with the numbers of what it made. */
export const RUN_COLUMNS: Sql = sql`r.*,
  (SELECT count(*)::int FROM proposal p WHERE p.run_id = r.run_id) AS proposals,
  (SELECT count(*)::int FROM job j WHERE j.run_id = r.run_id) AS jobs,
  (SELECT count(*)::int FROM artifact a WHERE a.run_id = r.run_id) AS artifacts`

export type CountedRun = RunRow & { proposals: number; jobs: number; artifacts: number }

export const isoOf = (date: Date | null): string | null => date?.toISOString() ?? null

/** A row of the list. */
export function runView(run: CountedRun): RunRowView {
  const error = runError.safeParse(run.error)
  return {
    run_id: run.run_id,
    status: run.status,
    agent_slug: run.agent_slug,
    agent_version: run.agent_version,
    trigger: run.trigger,
    requested_by: run.requested_by,
    priority: run.priority,
    title: titleOf(run.params),
    current_step: run.current_step,
    steps_total: STEPS.length,
    steps_completed: run.steps_completed,
    queue_position: isFinal(run.status) ? null : (run.totals.queue_position ?? null),
    wait_reason: run.wait_reason as RunRowView['wait_reason'],
    wait_blocker: run.wait_blocker,
    waiting_on: run.waiting_on,
    cancel_requested: run.cancel_requested !== null,
    error: error.success ? error.data : null,
    proposals: run.proposals,
    jobs: run.jobs,
    artifacts: run.artifacts,
    revision: run.revision,
    requested_at: run.requested_at.toISOString(),
    queued_at: isoOf(run.queued_at),
    started_at: isoOf(run.started_at),
    finished_at: isoOf(run.finished_at),
    updated_at: run.updated_at.toISOString(),
  }
}
