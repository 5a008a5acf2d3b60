/**
 * Takes a held run from its last checkpoint as far as it goes (contract page 03, sections 1, 3 and 5).
 *
 * Between two steps is a safe point: the object of the last step is stored before the next begins; a cancel is taken, the
 * run's limit is looked at, a stopping process hands the run back. Everything is read from the ledger anew, so it does not
 * matter who did the steps before.
 */
import { RUN_LIMIT_SECONDS, STEPS } from '#domain/run/step.machine.ts'
import { projectAgentState } from '#server/agents/project-agent-state.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { giveBack } from './claim-runs.ts'
import { cancelHeld, completeRun, failRun } from './finish-run.ts'
import { projectRun, StepConflict } from './project-run.ts'
import { secondsLeft } from './run-limits.ts'
import { FenceLost, type Held, type RunParts } from './run-parts.ts'
import { RUNNING, type RunRow, readRun } from './run-row.ts'
import { runStep } from './run-step.ts'

export type RunEnd = 'ended' | 'resting' | 'handed back' | 'lost'

const STORE_RETRY_MS = 1_000

/** Rejects only for what nobody foresaw (the ledger is down): then the lease runs out and the run is resumed. */
export async function advanceRun(parts: RunParts, held: Held): Promise<RunEnd> {
  try {
    for (;;) {
      const end = await onward(parts, held)
      if (end) return end
    }
  } catch (error) {
    if (error instanceof FenceLost) return 'lost'
    throw error
  }
}

/** One step, or one of the ends; null when there is more to do. */
async function onward(parts: RunParts, held: Held): Promise<RunEnd | null> {
  const run = await stillHeld(parts, held)
  if (!run) return 'lost'
  if (run.cancel_requested !== null && (await cancelHeld(parts, held))) return ended(parts, held)
  if (held.stopping()) {
    await giveBack(parts.db, held)
    return 'handed back'
  }
  held.heard()
  if (!(await objectsStored(parts, held, run))) return null
  await parts.failpoint?.(`objects-${run.steps_completed}`)
  if (run.steps_completed === STEPS.length) {
    await completeRun(parts, held)
    await parts.failpoint?.('after-complete')
    return ended(parts, held)
  }
  if ((await secondsLeft(parts, run)) <= 0) {
    await fail(parts, held, run, 'AGENT_TIMEOUT', `The run's ${RUN_LIMIT_SECONDS} s are over.`)
    return ended(parts, held)
  }
  const end = await runStep(parts, held, run)
  parts.hints.hint('events')
  if (end === 'failed') return ended(parts, held)
  if (end === 'resting') {
    await parts.failpoint?.('resting')
    await projectLater(parts, held.runId)
    parts.hints.hint('runs')
    return 'resting'
  }
  return null
}

async function stillHeld(parts: RunParts, held: Held): Promise<RunRow | null> {
  const run = await readRun(parts.db, held.runId)
  return run && run.fence === held.fence && run.status === RUNNING && run.lease_holder === parts.holder
    ? run
    : null
}

/** True when the store holds all that the ledger says; waits while it does not answer, as long as the run has time. */
async function objectsStored(parts: RunParts, held: Held, run: RunRow): Promise<boolean> {
  try {
    await projectRun(parts, run.run_id)
    return true
  } catch (error) {
    if (error instanceof StepConflict) {
      await fail(parts, held, run, 'CHECKPOINT_MISMATCH', error.message)
      return false
    }
    if (!(error instanceof StorageUnavailable)) throw error
    parts.log.warn({ run_id: run.run_id }, 'the store does not answer; the run waits for its objects')
    if ((await secondsLeft(parts, run)) <= 0) {
      await fail(
        parts,
        held,
        run,
        'STORAGE_UNAVAILABLE',
        'The object store did not answer until the run’s time was over.',
      )
      return false
    }
    await parts.pause(STORE_RETRY_MS, held.signal)
    return false
  }
}

function fail(
  parts: RunParts,
  held: Held,
  run: RunRow,
  code: 'AGENT_TIMEOUT' | 'CHECKPOINT_MISMATCH' | 'STORAGE_UNAVAILABLE',
  message: string,
) {
  const step = Math.min(STEPS.length, run.steps_completed + 1)
  return failRun(parts, held, { code, message, step, retryable: false })
}

async function ended(parts: RunParts, held: Held): Promise<RunEnd> {
  parts.hints.hint('events')
  parts.hints.hint('runs')
  await projectLater(parts, held.runId)
  const run = await readRun(parts.db, held.runId)
  if (run?.error) await projectAgentState(parts, run.agent_slug).catch(() => {})
  return 'ended'
}

/** The outbox projects again what this could not. */
async function projectLater(parts: RunParts, runId: string): Promise<void> {
  try {
    await projectRun(parts, runId)
  } catch (error) {
    parts.log.warn({ run_id: runId, err: error }, 'the projection waits for the outbox')
  }
}
