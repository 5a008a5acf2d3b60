/**
 * One step of a leased run: begin under the fence, work within its limits, and record the result in one transaction
 * ([runs#how-a-run-proceeds]).
 *
 *   checkpoint   output, digest, R4                           → 'done'
 *   a job, an LLM Task, a question: the executor is gone, the lease released → 'suspended'
 *   a fault      another attempt after a backoff, or R6       → 'again' | 'failed'
 *   a cancel, a stop or a lost lease, seen at a safe point    → 'interrupted'
 *
 * Before the work the store is asked for the step's object: after the ledger was restored from a backup the object is ahead, and it is
 * restored as the outcome when its input digest matches.
 */
import { afterStepFault, type StepNumber } from '#domain/run/retry.rules.ts'
import { stepMachine } from '#domain/run/step.machine.ts'
import { WaitingForAnswer, WaitingForWork } from '#server/ports/agent-executor.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { redactText } from '#server/redaction/redact.ts'
import { failRun, ledgerNow } from './finish-run.ts'
import { parkRun } from './park-run.ts'
import { parseObject, stepKey } from './project-run.ts'
import { recordRefusedWrite } from './record-refused-write.ts'
import { runFolder } from './run-ids.ts'
import { suspendForWork } from './run-leases.ts'
import { withTimeLimit } from './run-limits.ts'
import { jsonDigest } from './run-objects.ts'
import { FenceLost, Interrupted, RunFault, type RunLease, type RunParts } from './run-parts.ts'
import { type RunRow, readSteps, type StepAttempt, type StepRow } from './run-row.ts'
import { beginStep, checkpointStep, recordRetry } from './step-transitions.ts'
import { executorFault } from './steps/execute-agent.ts'
import { checkpointColumns, performStep, type StepResult } from './steps/perform-step.ts'

export type StepEnd = 'done' | 'suspended' | 'again' | 'failed' | 'interrupted'

/** The digest of a step's input: the run's own request and the checkpoint before it. */
export function inputDigestOf(run: RunRow, step: number, steps: readonly StepRow[]): string {
  const before = steps.find((s) => s.step === step - 1)
  if (step > 1 && (!before?.output || jsonDigest(before.output) !== before.output_digest)) {
    throw new RunFault(
      'CHECKPOINT_MISMATCH',
      `The output of step 0${step - 1} is not what its checkpoint says.`,
    )
  }
  return jsonDigest({
    run_id: run.run_id,
    agent: run.agent_slug,
    step,
    params: step === 1 ? run.params : undefined,
    previous: before?.output_digest ?? null,
  })
}

export async function runStep(parts: RunParts, lease: RunLease, run: RunRow): Promise<StepEnd> {
  const step = (run.steps_completed + 1) as StepNumber
  const began = performance.now()
  const startedAt = (await ledgerNow(parts.db)).toISOString()
  let tried = 0
  try {
    const steps = await readSteps(parts.db, lease.runId)
    tried = steps.find((s) => s.step === step)?.attempts.length ?? 0
    const input = inputDigestOf(run, step, steps)
    const row = await beginStep(parts.db, lease, step, input)
    if (!row) return 'interrupted'
    if (row.input_digest !== input) {
      throw new RunFault('CHECKPOINT_MISMATCH', `Step 0${step} was begun with another input.`)
    }
    await parts.failpoint?.(`step-${step}-begun`)
    const result =
      (await restoreFromObject(parts, run, step, input)) ??
      (await withTimeLimit(parts, lease, run, step, (inner) => performStep(parts, inner, run, step, steps)))
    const attempts = [{ n: tried + 1, started_at: startedAt, ms: elapsed(began) }]
    await parts.failpoint?.(`before-checkpoint-${step}`)
    await parts.db.transaction((tx) =>
      checkpointStep(tx, lease, {
        step,
        attempts,
        output: result.output,
        set: checkpointColumns(step, result),
      }),
    )
    await parts.failpoint?.(`after-checkpoint-${step}`)
    return 'done'
  } catch (error) {
    if (error instanceof FenceLost) await recordRefusedWrite(parts.db, lease)
    if (error instanceof Interrupted || error instanceof FenceLost || lease.signal.aborted)
      return 'interrupted'
    if (error instanceof WaitingForWork) {
      return (await suspendForWork(parts.db, lease, error.work)) ? 'suspended' : 'interrupted'
    }
    if (error instanceof WaitingForAnswer) {
      return (await parkRun(parts.db, lease, error.questionId)) ? 'suspended' : 'interrupted'
    }
    return handleFailure(parts, lease, run, step, {
      n: tried + 1,
      started_at: startedAt,
      ms: elapsed(began),
      fault: faultOf(error),
    })
  }
}

const manifestKey = (run: RunRow) => `${runFolder(run.agent_slug, run.run_id)}/manifest.json`
const elapsed = (began: number) => Math.max(0, Math.round(performance.now() - began))

type Failed = StepAttempt & { fault: RunFault }

/** Another attempt after its backoff, or the end of the run. */
async function handleFailure(
  parts: RunParts,
  lease: RunLease,
  run: RunRow,
  step: StepNumber,
  { fault, ...failed }: Failed,
): Promise<StepEnd> {
  const message = redactText(fault.message)
  const attempt = { ...failed, error: { code: fault.code, message } }
  const next = afterStepFault(step, { cause: fault.retryCause }, failed.n, run.retries_used)
  parts.log.warn({ run_id: lease.runId, step, code: fault.code, retry: next.retry }, fault.message)
  if (next.retry) {
    await recordRetry(parts.db, lease, step, attempt)
    await parts.pause(next.afterSeconds * 1000, lease.signal)
    return 'again'
  }
  const code = next.budgetSpent ? 'BUDGET_EXCEEDED' : fault.code
  const error = { code, message, step, retryable: fault.retryCause !== null }
  await failRun(parts.db, lease, error, attempt)
  return 'failed'
}

function faultOf(error: unknown): RunFault {
  if (error instanceof RunFault) return error
  if (error instanceof StorageUnavailable)
    return new RunFault('STORAGE_UNAVAILABLE', error.message, 'storage')
  return (
    executorFault(error) ??
    new RunFault('INTERNAL_ERROR', (error as Error)?.message ?? String(error), 'crash')
  )
}

/** The step's object as its result, when the store has it already and its input was the same. */
async function restoreFromObject(
  parts: RunParts,
  run: RunRow,
  step: number,
  input: string,
): Promise<StepResult | null> {
  const object = await parts.store.get(stepKey(run.agent_slug, run.run_id, step))
  if (!object) return null
  const there = parseObject(object.bytes)
  const matches =
    there.status === stepMachine.events.checkpoint.to &&
    there.input_digest === input &&
    jsonDigest(there.output) === there.output_digest
  const manifest = step === 4 ? await parts.store.get(manifestKey(run)) : null
  if (!matches || (step === 4 && !manifest)) {
    throw new RunFault('CHECKPOINT_MISMATCH', `The stored object of step 0${step} does not match this run.`)
  }
  const output = there.output as Record<string, unknown>
  return manifest ? { output, manifest: parseObject(manifest.bytes) } : { output }
}
