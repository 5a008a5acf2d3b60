import type { Db } from '#server/ledger/database.ts'
import type { RunStatusObject } from '#server/ports/orchestration.ts'
import { statusObject } from './run-objects.ts'
import { readRun, readSteps } from './run-row.ts'

/** What `status.json` says, or will once it is projected; null for a run that the ledger does not have. */
export async function readRunStatus(db: Db, runId: string): Promise<RunStatusObject | null> {
  const run = await readRun(db, runId)
  return run && { ...statusObject(run, await readSteps(db, runId)), run_id: run.run_id, status: run.status }
}
