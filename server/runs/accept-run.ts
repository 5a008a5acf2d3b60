import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { RunToStart, TakenRun } from '#server/ports/orchestration.ts'
import { readRun } from './run-row.ts'

const SWEPT_AFTER_SECONDS = 10

/**
 * [runs#R2]: takes a requested run into the queue; one that was taken before is returned as it is. A run that waited longer than 10 s was
 * left behind by a crash between its request and this, and is marked as swept ([runs#I-R6]). Throws for a run that the ledger does not have.
 */
export async function acceptRun(db: Db, { run_id, agent_slug }: RunToStart): Promise<TakenRun> {
  const [taken] = await transition(db, {
    machine: 'run',
    event: 'accept',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.run_id = ${run_id} AND o.agent_slug = ${agent_slug}`,
    set: sql`queued_at = clock_timestamp(), revision = t.revision + 1`,
    details: sql`jsonb_build_object('swept', m.queued_at - m.requested_at > make_interval(secs => ${SWEPT_AFTER_SECONDS}))`,
    returning: ['run_id', 'status'],
  })
  if (taken) return { run_id: taken.run_id, status: taken.status }
  const known = await readRun(db, run_id)
  if (known?.agent_slug !== agent_slug)
    throw new Refused('NOT_FOUND', `There is no run ${run_id} of the agent ${agent_slug}.`)
  return { run_id, status: known.status }
}
