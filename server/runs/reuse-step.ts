/**
 * A step below `from_step` of a replay: its checkpoint is that of the run which executed it, row for row, so that its object is too
 * ([runs#reruns]). One transaction under the fence; a process that dies before or after it leaves the next holder the same work.
 */
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { StepNumber } from '#domain/run/retry.rules.ts'
import { STEPS, stepMachine } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { jsonDigest } from './run-objects.ts'
import { type Fenced, FenceLost, RunFault } from './run-parts.ts'
import { IN_RUNNING, type RunRow, type StepRow } from './run-row.ts'
import { checkpointColumns } from './steps/perform-step.ts'

const { begin, checkpoint } = stepMachine.events
const IN_BEGUN = state(stepMachine, begin.to)
const IN_COMPLETED = state(stepMachine, checkpoint.to)

/** True when the next step of the run is taken from the run that it replays. */
export const reusesNext = (run: RunRow): boolean => run.steps_completed + 1 < (run.from_step ?? 1)

/** Takes over the next step. Throws FenceLost, or the fault of a source that is not what its checkpoint says. */
export async function reuseStep(db: Db, lease: Fenced, run: RunRow): Promise<void> {
  const step = (run.steps_completed + 1) as StepNumber
  await db.transaction(async (tx) => {
    const output = await copyStep(tx, lease, { step, source: run.replay_of ?? '' })
    const moved = await transition(tx, {
      machine: 'run',
      event: 'step_done',
      actor: ORCHESTRATION_LAYER,
      where: sql`o.run_id = ${lease.runId} AND o.fence = ${lease.fence} AND o.steps_completed = ${step - 1}`,
      set: sql`steps_completed = ${step}, current_step = ${step}, attempt = 1, revision = t.revision + 1, ${checkpointColumns(step, { output })}`,
      details: { step, name: STEPS.find((s) => s.n === step)?.name ?? '', reused_from: run.replay_of },
      returning: ['run_id'],
    })
    if (!moved[0]) throw new FenceLost(lease.runId)
  })
}

/** The row begins and completes like every step's, with the figures of its execution. */
async function copyStep(
  tx: Db,
  lease: Fenced,
  { step, source }: { step: number; source: string },
): Promise<Record<string, unknown>> {
  const { rows } = await tx.query<StepRow>(sql`INSERT INTO run_step
      (run_id, step, status, attempts, input_digest, output, output_digest, fence, executed_by_run, started_at, finished_at)
    SELECT r.run_id, s.step, ${IN_BEGUN}, s.attempts, s.input_digest, s.output, s.output_digest, s.fence,
      coalesce(s.executed_by_run, s.run_id), s.started_at, s.finished_at
    FROM run_step s JOIN run r ON r.run_id = ${lease.runId} AND r.fence = ${lease.fence} AND r.status = ${IN_RUNNING}
    WHERE s.run_id = ${source} AND s.step = ${step} AND s.status = ${IN_COMPLETED}
    ON CONFLICT DO NOTHING RETURNING *`)
  const copied = rows[0]
  if (!copied?.output) throw await missing(tx, lease, step)
  if (jsonDigest(copied.output) !== copied.output_digest) {
    throw new RunFault(
      'CHECKPOINT_MISMATCH',
      `The output of step 0${step} of ${source} is not what its checkpoint says.`,
    )
  }
  await tx.query(
    sql`UPDATE run_step SET status = ${IN_COMPLETED} WHERE run_id = ${lease.runId} AND step = ${step} AND status = ${IN_BEGUN}`,
  )
  return copied.output
}

/** Nothing was copied: another holds the run, or its source has lost the step. */
async function missing(tx: Db, lease: Fenced, step: number): Promise<Error> {
  const { rows } =
    await tx.query(sql`SELECT 1 FROM run r WHERE r.run_id = ${lease.runId} AND r.fence = ${lease.fence}
    AND r.status = ${IN_RUNNING} AND r.steps_completed = ${step - 1}`)
  return rows[0]
    ? new RunFault('CHECKPOINT_MISMATCH', `The run that this one replays has no completed step 0${step}.`)
    : new FenceLost(lease.runId)
}
