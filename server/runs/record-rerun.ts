import type { Caller } from '#domain/authority/caller.ts'
import type { RerunOf } from '#server/inbox/entry-handlers.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { RunRow } from './run-row.ts'

/** `run.rerun` in the history of the run that is replayed, in the transaction that creates its replay. */
export const recordRerun = (
  tx: Db,
  made: RunRow,
  { runId, fromStep, reason }: RerunOf,
  caller: Caller,
): Promise<unknown> =>
  recordEvent(tx, {
    name: 'run.rerun',
    actor: caller,
    reason,
    resource: { type: 'run', id: runId },
    refs: { run_id: runId, agent: made.agent_slug },
    details: { rerun: made.run_id, from_step: fromStep },
  })
