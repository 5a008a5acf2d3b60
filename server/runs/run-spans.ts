import type { RunSpan } from '#contracts/run.contract.ts'
import { STEPS } from '#domain/run/step.machine.ts'
import { type CallRow, isWait, type RunRow, type StepRow } from './run-row.ts'

const FIRST_STEP_PHASE = 3
const EXECUTION = 2

/**
 * The bars of the time axis: the queue, the work of each step, its failed attempts apart, and the tool calls of step 02 below its work; a
 * call that waits for a job, an LLM Task or a person's answer is a wait, not work.
 */
export function spansOf(run: RunRow, steps: readonly StepRow[], calls: readonly CallRow[]): RunSpan[] {
  const at = (date: Date) => Math.max(0, date.getTime() - run.requested_at.getTime())
  const until = (from: Date, to: Date | null) => (to ? Math.max(0, to.getTime() - from.getTime()) : null)
  const spans: RunSpan[] = []
  const push = (span: Omit<RunSpan, 'job_id' | 'task_id' | 'parent'> & Partial<RunSpan>) =>
    spans.push({ job_id: null, task_id: null, parent: null, ...span })
  if (run.queued_at) {
    const end = run.started_at ?? run.finished_at
    push({
      id: 'queue',
      phase: 2,
      name: 'queue',
      kind: 'queue',
      start_ms: at(run.queued_at),
      ms: until(run.queued_at, end),
      ok: null,
    })
  }
  // A step that was copied took no time of this run.
  for (const step of steps.filter((s) => s.executed_by_run === null)) {
    const phase = FIRST_STEP_PHASE + step.step - 1
    const id = `step-${step.step}`
    const name = STEPS.find((s) => s.n === step.step)?.name ?? id
    const ok = step.finished_at ? step.error === null : null
    const ms = until(step.started_at, step.finished_at ?? run.finished_at)
    push({ id, phase, name, kind: 'work', start_ms: at(step.started_at), ms, ok })
    for (const attempt of step.attempts.filter((a) => a.error)) {
      push({
        id: `${id}-attempt-${attempt.n}`,
        parent: id,
        phase,
        name: attempt.error?.code ?? name,
        kind: 'retry',
        start_ms: at(new Date(attempt.started_at)),
        ms: attempt.ms,
        ok: false,
      })
    }
  }
  for (const call of calls.filter((c) => c.run_id === run.run_id)) {
    push({
      id: `call-${call.call_index}`,
      parent: `step-${EXECUTION}`,
      phase: FIRST_STEP_PHASE + EXECUTION - 1,
      name: call.tool,
      kind: isWait(call) ? 'wait' : 'tool',
      start_ms: at(call.started_at),
      ms: until(call.started_at, call.finished_at ?? run.finished_at),
      ok: call.ok,
      job_id: call.job_id,
      task_id: call.task_id,
    })
  }
  return spans
}
