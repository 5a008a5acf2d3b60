/**
 * The owner replays a run that has ended from one of its steps ([runs#reruns]): a new run of the same agent, requested like every other
 * through an inbox entry. What is final never changes, so the checks on the source need no lock; the agent and its queue are checked
 * with the request itself.
 */
import sql from 'sql-template-tag'
import type { RunRequested, RunRerunInput } from '#contracts/run-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { rerunFault } from '#domain/run/rerun.rules.ts'
import { stepMachine } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { state } from '#server/ledger/states.ts'
import { type RunAgentParts, submitRun } from './run-agent.ts'
import { type RunRow, readRun } from './run-row.ts'

/** Requests the replay, or refuses: 404, 409 INVALID_TRANSITION, 422, and what a request of a run is refused for. */
export async function rerunRun(
  parts: RunAgentParts,
  input: RunRerunInput,
  caller: Caller,
): Promise<Result<RunRequested>> {
  const source = await readRun(parts.db, input.run_id)
  if (!source) return refuse({ code: 'NOT_FOUND', message: 'There is no such run.' })
  const completed = await completedSteps(parts.db, source.run_id)
  const fault = rerunFault({ status: source.status, completed }, input.from_step, input.params !== undefined)
  if (fault) return refuseRerun(parts.db, { source, input, fault }, caller)
  return submitRun(
    parts,
    {
      slug: source.agent_slug,
      params: input.params ?? source.params,
      priority: source.priority,
      correlation_id: input.correlation_id,
      rerun: { runId: source.run_id, fromStep: input.from_step, reason: input.reason },
    },
    caller,
  )
}

/** Numbers of the steps whose checkpoint a replay can take. */
async function completedSteps(db: Db, runId: string): Promise<number[]> {
  const { rows } = await db.query<{ step: number }>(sql`SELECT step FROM run_step
    WHERE run_id = ${runId} AND status = ${state(stepMachine, stepMachine.events.checkpoint.to)}`)
  return rows.map(({ step }) => step)
}

type Denied = { source: RunRow; input: RunRerunInput; fault: Refusal }

async function refuseRerun(db: Db, { source, input, fault }: Denied, caller: Caller) {
  await recordEvent(db, {
    name: 'run.rerun',
    actor: caller,
    reason: input.reason,
    outcome: 'refused',
    errorCode: fault.code,
    resource: { type: 'run', id: source.run_id },
    refs: { run_id: source.run_id, agent: source.agent_slug },
    details: { from_step: input.from_step },
  })
  return refuse(fault)
}
