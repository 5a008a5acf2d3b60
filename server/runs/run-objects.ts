/**
 * The objects of a run as JSON, made from its ledger rows alone ([runs#objects]). Pure: the same rows give the same bytes, so any process
 * may project, and a repeat changes nothing.
 */
import canonicalize from 'canonicalize'
import { isFinal } from '#domain/run/run.rules.ts'
import { RUN_RETRY_BUDGET, STEPS } from '#domain/run/step.machine.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import type { CallRow, RunRow, StepRow } from './run-row.ts'

export const WRITER = 'orchestration-layer'

const iso = (date: Date | null): string | null => date?.toISOString() ?? null
const ids = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : [])
const outputOf = (steps: readonly StepRow[], step: number): Record<string, unknown> =>
  steps.find((s) => s.step === step)?.output ?? {}

/** Ids of the proposals that step 03 made or found. */
export function proposalIds(steps: readonly StepRow[]): string[] {
  const output = outputOf(steps, 3)
  const created = (output.created ?? []) as { proposal_id: string }[]
  return [...created.map((c) => c.proposal_id), ...ids(output.reused)]
}

/** Numbers of the steps that were copied from the run that this one replays. */
export const reusedSteps = (steps: readonly StepRow[]): number[] =>
  steps.filter((s) => s.executed_by_run !== null).map((s) => s.step)

/** The run that executed a step: the run itself, or the one that its copy came from. */
export const executorOf = (run: Pick<RunRow, 'run_id'>, step: StepRow | undefined): string =>
  step?.executed_by_run ?? run.run_id

/** Jobs and artifacts that step 02 used, by its checkpoint. */
export const jobIds = (steps: readonly StepRow[]): string[] => ids(outputOf(steps, 2).jobs)
export const artifactIds = (steps: readonly StepRow[]): string[] => ids(outputOf(steps, 2).artifacts)

/** A value as JSON has it: what cannot be written is gone, so that it reads back the same from any store. */
export const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The canonical JSON (RFC 8785) of a value. */
export const canonicalJson = (value: unknown): string => canonicalize(asJson(value)) ?? 'null'

/** SHA-256 of the canonical JSON of a value, 64 lower-case hex digits. */
export const jsonDigest = (value: unknown): string => sha256Hex(canonicalJson(value))

/** `status.json`. */
export function statusObject(run: RunRow, steps: readonly StepRow[]): Record<string, unknown> {
  const waits = !isFinal(run.status)
  return {
    schema: 'status/1',
    run_id: run.run_id,
    agent_slug: run.agent_slug,
    agent_version: run.agent_version,
    definition_sha256: run.definition_sha256,
    inbox_entry_id: run.inbox_entry_id,
    priority: run.priority,
    params: run.params,
    trigger: run.trigger,
    requested_by: run.requested_by,
    correlation_id: run.correlation_id,
    status: run.status,
    requested_at: iso(run.requested_at),
    queued_at: iso(run.queued_at),
    started_at: iso(run.started_at),
    finished_at: iso(run.finished_at),
    current_step: run.current_step,
    steps_total: STEPS.length,
    steps_completed: run.steps_completed,
    queue_position: waits ? (run.totals.queue_position ?? null) : null,
    wait_reason: run.wait_reason,
    wait_blocker: run.wait_blocker,
    not_before: iso(run.not_before),
    waiting_on: run.waiting_on,
    parked_at: iso(run.parked_at),
    parked_ms: run.parked_ms,
    proposals_created: proposalIds(steps),
    memory_updates: [],
    jobs: jobIds(steps),
    artifacts: artifactIds(steps),
    error: run.error,
    attempt: run.attempt,
    resumes: run.resumes,
    retries_used: run.retries_used,
    retry_budget: RUN_RETRY_BUDGET,
    cancel_requested: run.cancel_requested,
    cancelled_by: run.totals.cancelled_by ?? null,
    summary: run.summary,
    replay_of: run.replay_of,
    from_step: run.from_step,
    reused_steps: reusedSteps(steps),
    revision: run.revision,
    fence: run.fence,
    writer: WRITER,
    updated_at: iso(run.updated_at),
  }
}

/** `steps/NN-*.json`; that of step 02 holds its journal. */
export function stepObject(run: RunRow, step: StepRow, calls: readonly CallRow[]): Record<string, unknown> {
  return {
    schema: 'step/1',
    run_id: executorOf(run, step),
    step: step.step,
    name: STEPS.find((s) => s.n === step.step)?.name,
    status: step.status,
    attempts: step.attempts,
    started_at: iso(step.started_at),
    finished_at: iso(step.finished_at),
    duration_ms: step.finished_at ? step.finished_at.getTime() - step.started_at.getTime() : null,
    input_digest: step.input_digest,
    output: step.output,
    output_digest: step.output_digest,
    executed_by_run: executorOf(run, step),
    fence: step.fence,
    ...(calls.length > 0 && { calls: calls.map(({ run_id: _, ...call }) => call) }),
    error: step.error,
    writer: WRITER,
  }
}

/** `output/proposal.json`: what step 03 made of the agent's output. */
export const proposalObject = (run: RunRow, steps: readonly StepRow[]): Record<string, unknown> => ({
  schema: 'proposals/1',
  run_id: run.run_id,
  agent_slug: run.agent_slug,
  ...outputOf(steps, 3),
})

/** True when the manifest may be written: after step 04, or with the failure. */
export const manifestReady = (run: RunRow): boolean =>
  run.totals.manifest !== undefined && (run.steps_completed === STEPS.length || isFinal(run.status))

export type ManifestEnd = { status: string; finishedAt: Date; waitMs: number; error: unknown }

/** `manifest.json`, written once; `finishedAt` becomes the run's own end. */
export function manifestObject(
  run: RunRow,
  steps: readonly StepRow[],
  end: ManifestEnd,
): Record<string, unknown> {
  const context = outputOf(steps, 1)
  const execution = outputOf(steps, 2)
  const duration = (n: number) => {
    const step = steps.find((s) => s.step === n)
    if (step?.executed_by_run) return 0
    return step ? (step.finished_at ?? end.finishedAt).getTime() - step.started_at.getTime() : null
  }
  return {
    schema: 'manifest/1',
    run_id: run.run_id,
    agent_slug: run.agent_slug,
    agent_version: run.agent_version,
    definition_sha256: run.definition_sha256,
    trigger: run.trigger,
    status: end.status,
    started_at: iso(run.started_at),
    finished_at: end.finishedAt.toISOString(),
    duration_ms: end.finishedAt.getTime() - (run.started_at ?? end.finishedAt).getTime(),
    steps_count: steps.length,
    step_durations: Object.fromEntries(STEPS.map((s) => [`0${s.n}`, duration(s.n)])),
    wait_ms: end.waitMs,
    proposals_created: proposalIds(steps).length,
    proposal_ids: proposalIds(steps),
    memory_updates: 0,
    jobs: jobIds(steps),
    artifacts: artifactIds(steps),
    model_used: execution.model ?? null,
    engine: execution.engine ?? null,
    // What a copied step used was paid for by the run that executed it.
    tokens_used: (!reusedSteps(steps).includes(2) && execution.usage) || { input: 0, output: 0 },
    context_tokens: context.total_tokens ?? 0,
    grounding: execution.grounding ?? null,
    tainted: execution.tainted ?? false,
    replay_of: run.replay_of,
    reused_steps: reusedSteps(steps),
    error: end.error,
  }
}
