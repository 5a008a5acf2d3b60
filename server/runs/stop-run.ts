import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { CANCELLED } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { endOrFlag } from './cancel-run.ts'
import { readRun } from './run-row.ts'

const REASON = 'Cancelled through the engine.'

/**
 * Lets the engine end the run: at once when it waits, at its next safe point when it runs. After a command of a person, which has recorded
 * who and why, it changes nothing and only wakes whoever works on it.
 */
export async function stopRun(db: Db, runId: string): Promise<{ cancelled: boolean }> {
  await db.transaction((tx) => endOrFlag(tx, { run_id: runId, reason: REASON }, ORCHESTRATION_LAYER))
  db.notify('runs')
  const run = await readRun(db, runId)
  return { cancelled: run?.status === CANCELLED || (run?.cancel_requested ?? null) !== null }
}
