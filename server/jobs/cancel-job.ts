import sql from 'sql-template-tag'
import type { JobCommandInput } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import type { NlmClient } from './nlm-client.ts'
import { type Operated, operate, operateOne } from './operate-job.ts'

/** J17: ends a job that is not done as cancelled; the NotebookLM Backend is asked to stop, best effort and unawaited. */
export async function cancelJob(
  services: Pick<Services, 'db' | 'hints'>,
  input: JobCommandInput,
  caller: Caller,
  nlm?: Pick<NlmClient, 'cancel'>,
): Promise<Result<Operated>> {
  const outcome = await operateOne(services, 'cancel', input, caller)
  if (outcome.ok) void nlm?.cancel(input.job_id)
  return outcome
}

/** Cancels what a run has still under way, in the transaction that cancels the run (page 03, R8). Returns the jobs' ids. */
export function cancelJobsOfRun(tx: Db, runId: string, reason: string, actor: Caller): Promise<string[]> {
  return operate(tx, 'cancel', sql`o.run_id = ${runId}`, reason, actor)
}
