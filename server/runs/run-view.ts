/** Runs, steps and calls as the console and the API show them. */
import {
  type RunDetail,
  type RunRow as RunRowView,
  type RunStepView,
  runError,
} from '#contracts/run.contract.ts'
import { phasesOf } from '#domain/run/phases.rules.ts'
import { FAILED, isFinal, runTitle } from '#domain/run/run.rules.ts'
import { STEPS, stepMachine } from '#domain/run/step.machine.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { CallRow, RunRow, StepRow } from './run-row.ts'

/** What `runView` reads of a run. */
export const VIEWED = [
  'run_id',
  'status',
  'agent_slug',
  'agent_version',
  'trigger',
  'requested_by',
  'priority',
  'replay_of',
  'from_step',
  'params',
  'current_step',
  'steps_completed',
  'totals',
  'wait_reason',
  'wait_blocker',
  'waiting_on',
  'cancel_requested',
  'error',
  'revision',
  'requested_at',
  'queued_at',
  'started_at',
  'finished_at',
  'updated_at',
] as const

export type ViewRow = Row<'run', (typeof VIEWED)[number]>

/** How many objects a run made. */
export type Made = Pick<RunRowView, 'proposals' | 'jobs' | 'artifacts'>

export const isoOf = (date: Date | null): string | null => date?.toISOString() ?? null

/** A row of the list. */
export function runView(run: ViewRow, made: Made): RunRowView {
  const error = runError.safeParse(run.error)
  return {
    run_id: run.run_id,
    status: run.status,
    agent_slug: run.agent_slug,
    agent_version: run.agent_version,
    trigger: run.trigger,
    requested_by: run.requested_by,
    priority: run.priority,
    replay_of: run.replay_of,
    from_step: run.from_step,
    title: runTitle(run.params),
    current_step: run.current_step,
    steps_total: STEPS.length,
    steps_completed: run.steps_completed,
    queue_position: isFinal(run.status) ? null : (run.totals.queue_position ?? null),
    wait_reason: run.wait_reason,
    wait_blocker: run.wait_blocker,
    waiting_on: run.waiting_on,
    cancel_requested: run.cancel_requested !== null,
    error: error.success ? error.data : null,
    ...made,
    revision: run.revision,
    requested_at: run.requested_at.toISOString(),
    queued_at: isoOf(run.queued_at),
    started_at: isoOf(run.started_at),
    finished_at: isoOf(run.finished_at),
    updated_at: run.updated_at.toISOString(),
  }
}

/** The seven phases on one time axis. */
export function phaseViews(run: RunRow, steps: readonly StepRow[]): RunDetail['phases'] {
  const times = {
    status: run.status,
    requestedAt: run.requested_at,
    queuedAt: run.queued_at,
    startedAt: run.started_at,
    finishedAt: run.finished_at,
    waiting: run.waiting_on !== null,
  }
  const rows = steps.map((s) => ({
    step: s.step,
    status: s.status,
    startedAt: s.started_at,
    finishedAt: s.finished_at,
    reused: s.executed_by_run !== null,
  }))
  return phasesOf(times, rows).map((p) => ({
    phase: p.phase,
    name: p.name,
    state: p.state,
    started_at: isoOf(p.startedAt),
    start_ms: p.startMs,
    ms: p.ms,
  }))
}

/** All four steps; those that were not begun are `pending`, or `skipped` when the run ended before them. One that was under way then ended with it. */
export function stepViews(run: RunRow, steps: readonly StepRow[]): RunStepView[] {
  return STEPS.map(({ n, name, object }) => {
    const step = steps.find((s) => s.step === n)
    const error = runError.safeParse(step?.error)
    return {
      step: n,
      name,
      status: stepState(run, step),
      attempts: step?.attempts ?? [],
      started_at: isoOf(step?.started_at ?? null),
      finished_at: isoOf(step?.finished_at ?? null),
      duration_ms: step?.finished_at ? step.finished_at.getTime() - step.started_at.getTime() : null,
      input_digest: step?.input_digest ?? null,
      output_digest: step?.output_digest ?? null,
      output: step?.output ?? null,
      error: error.success ? error.data : null,
      executed_by_run: step?.executed_by_run ?? null,
      object,
    }
  })
}

function stepState({ status }: RunRow, step: StepRow | undefined): RunStepView['status'] {
  if (!isFinal(status)) return step?.status ?? 'pending'
  if (!step) return 'skipped'
  if (step.status !== stepMachine.events.begin.to) return step.status
  return status === FAILED ? 'failed' : 'skipped'
}

export function callView(call: CallRow): RunDetail['calls'][number] {
  const { outcome } = call
  return {
    index: call.call_index,
    tool: call.tool,
    input_digest: call.input_digest,
    job_id: call.job_id,
    task_id: call.task_id,
    ok: call.ok,
    error: outcome && !outcome.ok ? { code: outcome.code, message: outcome.message } : null,
    ms: call.finished_at ? call.finished_at.getTime() - call.started_at.getTime() : null,
    started_at: call.started_at.toISOString(),
    finished_at: isoOf(call.finished_at),
  }
}
