import sql from 'sql-template-tag'
import type { RunCancelInput, RunCancelled } from '#contracts/run-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { cancelJobsOfRun } from '#server/jobs/operate-job.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { transition } from '#server/ledger/transition.ts'
import { withdrawQuestions } from '#server/questions/withdraw-questions.ts'
import { redactText } from '#server/redaction/redact.ts'
import { UNPARK } from './park-run.ts'

/** [runs#R8] for a run that waits for a person: nobody works on it, so it ends at once, with its question and its jobs. Null when it is not parked. */
export async function cancelParked(
  tx: Db,
  { run_id, reason }: RunCancelInput,
  caller: Caller,
): Promise<RunCancelled | null> {
  const [run] = await transition(tx, {
    machine: 'run',
    event: 'cancel',
    actor: caller,
    reason,
    where: sql`o.run_id = ${run_id} AND o.parked_at IS NOT NULL AND o.current_step < 3`,
    set: sql`finished_at = clock_timestamp(), fence = t.fence + 1, revision = t.revision + 1, ${UNPARK},
      cancel_requested = ${redactText(reason)}, totals = t.totals || ${json({ cancelled_by: caller.identity })}`,
    returning: ['run_id', 'status'],
  })
  if (!run) return null
  await withdrawQuestions(tx, run_id, caller)
  await cancelJobsOfRun(tx, run_id, reason, caller)
  return { run_id: run.run_id, status: run.status, cancel_requested: false, unchanged: false }
}
