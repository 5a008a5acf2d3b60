/**
 * One step of a held run: begin under the fence, do the work within its limits, and settle what came of it in one transaction
 * (contract page 03, section 3).
 *
 *   checkpoint   output, digest, R4                        → 'done'
 *   a Job        the executor is gone, the lease let go    → 'resting'
 *   a fault      another try after a rest, or R6           → 'again' | 'failed'
 *   a cancel, a stop, a lost lease, seen at a safe point   → 'interrupted'
 *
 * Before the work the store is asked for the step's object: when a ledger was put back from a backup the object is ahead, and
 * it is taken as the outcome when its input digest fits (section 5).
 */
import { afterStepFault, type StepNumber } from '#domain/run/retry.rules.ts'
import { stepMachine } from '#domain/run/step.machine.ts'
import { WaitingForJob } from '#server/ports/agent-executor.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { restForJob } from './claim-runs.ts'
import { digestOf } from './digest.ts'
import { failRun, ledgerNow } from './finish-run.ts'
import { parseObject, stepKey } from './project-run.ts'
import { runFolder } from './run-ids.ts'
import { limited } from './run-limits.ts'
import { FenceLost, type Held, Interrupted, RunFault, type RunParts } from './run-parts.ts'
import { type RunRow, readSteps, type StepAttempt, type StepRow } from './run-row.ts'
import { beginStep, checkpointStep, recordRetry } from './step-rows.ts'
import { executorFault } from './steps/execute-agent.ts'
import { columnsOf, type StepResult, workOf } from './steps/step-work.ts'

export type StepEnd = 'done' | 'resting' | 'again' | 'failed' | 'interrupted'

/** The digest of what a step begins with: the run's own request, and the checkpoint before it (section 5). */
export function inputDigestOf(run: RunRow, step: number, steps: readonly StepRow[]): string {
  const before = steps.find((s) => s.step === step - 1)
  if (step > 1 && (!before?.output || digestOf(before.output) !== before.output_digest)) {
    throw new RunFault(
      'CHECKPOINT_MISMATCH',
      `The output of step 0${step - 1} is not what its checkpoint says.`,
    )
  }
  return digestOf({
    run_id: run.run_id,
    agent: run.agent_slug,
    step,
    params: step === 1 ? run.params : undefined,
    previous: before?.output_digest ?? null,
  })
}

export async function runStep(parts: RunParts, held: Held, run: RunRow): Promise<StepEnd> {
  const step = (run.steps_completed + 1) as StepNumber
  const began = performance.now()
  const startedAt = (await ledgerNow(parts.db)).toISOString()
  let row: StepRow | null = null
  try {
    const steps = await readSteps(parts.db, held.runId)
    const input = inputDigestOf(run, step, steps)
    row = await beginStep(parts.db, held, step, input)
    if (!row) return 'interrupted'
    if (row.input_digest !== input) {
      throw new RunFault('CHECKPOINT_MISMATCH', `Step 0${step} was begun with another input.`)
    }
    await parts.failpoint?.(`step-${step}-begun`)
    const result =
      (await adopt(parts, run, step, input)) ??
      (await limited(parts, held, run, step, (inner) => workOf(parts, inner, run, step, steps)))
    const attempts = [
      ...row.attempts,
      { n: row.attempts.length + 1, started_at: startedAt, ms: elapsed(began) },
    ]
    await parts.failpoint?.(`before-checkpoint-${step}`)
    await parts.database.transaction((tx) =>
      checkpointStep(tx, held, { step, attempts, output: result.output, set: columnsOf(step, result) }),
    )
    await parts.failpoint?.(`after-checkpoint-${step}`)
    return 'done'
  } catch (error) {
    if (error instanceof Interrupted || error instanceof FenceLost || held.signal.aborted)
      return 'interrupted'
    if (error instanceof WaitingForJob) {
      return (await restForJob(parts.db, held, error.jobId)) ? 'resting' : 'interrupted'
    }
    const attempts = row?.attempts ?? []
    return settle(parts, held, run, step, attempts, {
      n: attempts.length + 1,
      started_at: startedAt,
      ms: elapsed(began),
      fault: faultOf(error),
    })
  }
}

const manifestKey = (run: RunRow) => `${runFolder(run.agent_slug, run.run_id)}/manifest.json`
const elapsed = (began: number) => Math.max(0, Math.round(performance.now() - began))

type Failed = StepAttempt & { fault: RunFault }

/** Another try after its rest, or the end of the run. */
async function settle(
  parts: RunParts,
  held: Held,
  run: RunRow,
  step: StepNumber,
  attempts: StepAttempt[],
  { fault, ...tried }: Failed,
): Promise<StepEnd> {
  const attempt = { ...tried, error: { code: fault.code, message: fault.message } }
  const next = afterStepFault(step, { cause: fault.retryCause }, attempts.length + 1, run.retries_used)
  parts.log.warn({ run_id: held.runId, step, code: fault.code, retry: next.retry }, fault.message)
  if (next.retry) {
    await recordRetry(parts.db, held, step, attempt)
    await parts.pause(next.afterSeconds * 1000, held.signal)
    return 'again'
  }
  const code = next.budgetSpent ? 'BUDGET_EXCEEDED' : fault.code
  const error = { code, message: fault.message, step, retryable: fault.retryCause !== null }
  await failRun(parts, held, error, [...attempts, attempt])
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

/** The object of this step, when the store has it already and it began with the same input. */
async function adopt(parts: RunParts, run: RunRow, step: number, input: string): Promise<StepResult | null> {
  const object = await parts.store.get(stepKey(run.agent_slug, run.run_id, step))
  if (!object) return null
  const there = parseObject(object.bytes)
  const fits =
    there.status === stepMachine.events.checkpoint.to &&
    there.input_digest === input &&
    digestOf(there.output) === there.output_digest
  const manifest = step === 4 ? await parts.store.get(manifestKey(run)) : null
  if (!fits || (step === 4 && !manifest)) {
    throw new RunFault('CHECKPOINT_MISMATCH', `The stored object of step 0${step} does not fit this run.`)
  }
  const output = there.output as Record<string, unknown>
  return manifest ? { output, manifest: parseObject(manifest.bytes) } : { output }
}
