/**
 * Takes a leased run from its last checkpoint as far as it goes ([runs#how-a-run-proceeds]).
 *
 * Between two steps is a safe point: the object of the last step is stored before the next begins, a requested cancel takes effect, the
 * run's time limit is checked, and a stopping process releases the run. Everything is read from the ledger again, so it does not matter
 * which process did the earlier steps.
 */
import { RUNNING } from '#domain/run/run.rules.ts'
import { RUN_LIMIT_SECONDS, STEPS } from '#domain/run/step.machine.ts'
import { projectAgentState } from '#server/agents/project-agent-state.ts'
import { stopCalls } from '#server/jobs/operate-job.ts'
import { ProjectionConflict } from '#server/outbox/projection-fault.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { cancelLeased, completeRun, failRun } from './finish-run.ts'
import { projectLater, projectRun } from './project-run.ts'
import { recordRefusedWrite } from './record-refused-write.ts'
import { reuseStep, reusesNext } from './reuse-step.ts'
import { expireLease } from './run-leases.ts'
import { secondsLeft } from './run-limits.ts'
import { FenceLost, RunFault, type RunLease, type RunParts } from './run-parts.ts'
import { type RunRow, readRun } from './run-row.ts'
import { runStep } from './run-step.ts'
import { mustBeActive } from './steps/load-context.ts'

export type RunEnd = 'ended' | 'suspended' | 'released' | 'lost'

const STORE_RETRY_MS = 1_000

/** Rejects only for unexpected failures such as a ledger that is down: then the lease expires and the run is resumed. */
export async function advanceRun(parts: RunParts, lease: RunLease): Promise<RunEnd> {
  try {
    for (;;) {
      const end = await advanceOneStep(parts, lease)
      if (end) return end
    }
  } catch (error) {
    if (!(error instanceof FenceLost)) throw error
    await recordRefusedWrite(parts.db, lease)
    return 'lost'
  }
}

/** One step, or the end of the work; null when there is more to do. */
async function advanceOneStep(parts: RunParts, lease: RunLease): Promise<RunEnd | null> {
  // A lease that was not renewed in time may have been taken over; the ledger need not show it yet.
  if (lease.lost()) return 'lost'
  const run = await readLeased(parts, lease)
  if (!run) return 'lost'
  if (run.cancel_requested !== null) {
    const stopped = await cancelLeased(parts.db, lease)
    if (stopped) {
      stopCalls(parts.nlm, stopped)
      return ended(parts, lease)
    }
  }
  if (lease.stopping()) {
    await expireLease(parts.db, lease)
    return 'released'
  }
  lease.acknowledge()
  const stored = await storeObjects(parts, lease, run)
  if (stored === 'failed') return ended(parts, lease)
  if (stored === 'later') return null
  await parts.failpoint?.(`objects-${run.steps_completed}`)
  if (run.steps_completed === STEPS.length) {
    await completeRun(parts.db, lease)
    await parts.failpoint?.('after-complete')
    return ended(parts, lease)
  }
  if ((await secondsLeft(parts, run)) <= 0) {
    await fail(parts, lease, run, 'AGENT_TIMEOUT', `The run exceeded its limit of ${RUN_LIMIT_SECONDS} s.`)
    return ended(parts, lease)
  }
  if (reusesNext(run)) return reuseNext(parts, lease, run)
  const end = await runStep(parts, lease, run)
  if (end === 'failed') return ended(parts, lease)
  if (end === 'suspended') {
    await parts.failpoint?.('suspended')
    await projectLater(parts, lease.runId)
    return 'suspended'
  }
  return null
}

/** Takes over the next step of a replay; a source that has changed ends the run, and an agent that was paused before it began. */
async function reuseNext(parts: RunParts, lease: RunLease, run: RunRow): Promise<RunEnd | null> {
  const step = run.steps_completed + 1
  try {
    if (step === 1) await mustBeActive(parts.db, run.agent_slug)
    await reuseStep(parts.db, lease, run)
  } catch (error) {
    if (!(error instanceof RunFault)) throw error
    await fail(parts, lease, run, error.code, error.message)
    return ended(parts, lease)
  }
  await parts.failpoint?.(`reused-${step}`)
  return null
}

async function readLeased(parts: RunParts, lease: RunLease): Promise<RunRow | null> {
  const run = await readRun(parts.db, lease.runId)
  return run && run.fence === lease.fence && run.status === RUNNING && run.lease_holder === parts.holder
    ? run
    : null
}

/**
 * Stores everything that the ledger says; waits while the store does not answer, as long as the run has time. An object that is not this
 * run's and cannot be replaced ends the run: no repeat would mend it.
 */
async function storeObjects(
  parts: RunParts,
  lease: RunLease,
  run: RunRow,
): Promise<'stored' | 'later' | 'failed'> {
  try {
    await projectRun(parts, run.run_id)
    return 'stored'
  } catch (error) {
    if (error instanceof ProjectionConflict) {
      await fail(parts, lease, run, 'CHECKPOINT_MISMATCH', error.message)
      return 'failed'
    }
    if (!(error instanceof StorageUnavailable)) throw error
    parts.log.warn(
      { run_id: run.run_id },
      'the object store does not answer; the run waits to store its objects',
    )
    if ((await secondsLeft(parts, run)) <= 0) {
      await fail(
        parts,
        lease,
        run,
        'STORAGE_UNAVAILABLE',
        'The object store did not answer before the run reached its time limit.',
      )
      return 'failed'
    }
    await parts.pause(STORE_RETRY_MS, lease.signal)
    return 'later'
  }
}

function fail(parts: RunParts, lease: RunLease, run: RunRow, code: RunFault['code'], message: string) {
  const step = Math.min(STEPS.length, run.steps_completed + 1)
  return failRun(parts.db, lease, { code, message, step, retryable: false })
}

async function ended(parts: RunParts, lease: RunLease): Promise<RunEnd> {
  await projectLater(parts, lease.runId)
  const run = await readRun(parts.db, lease.runId)
  if (run?.error) await projectAgentState(parts, run.agent_slug).catch(() => {})
  return 'ended'
}
