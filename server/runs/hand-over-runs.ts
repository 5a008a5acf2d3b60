/**
 * From the ledger to the engine ([runs#orchestration]): whoever asks for a run, a person, a schedule, an event, leaves it as `requested` in
 * one commit with its reason, and this gives it to the engine. At the request itself and at every scan, so that a crash between the two
 * loses nothing.
 */
import sql from 'sql-template-tag'
import { runMachine } from '#domain/run/run.machine.ts'
import { REQUESTED } from '#domain/run/run.rules.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { TakenRun } from '#server/ports/orchestration.ts'
import type { Services } from '#server/services.ts'

type Parts = Pick<Services, 'db' | 'log'> & {
  orchestration: Pick<Services['orchestration'], 'triggerAgentRun'>
}
type Requested = Row<'run', 'run_id' | 'agent_slug' | 'trigger' | 'params'>

const BATCH = 200

/** Gives the engine the run; null when it did not take it, and the next scan tries again. */
export const handOver = (
  { orchestration, log }: Omit<Parts, 'db'>,
  { run_id, agent_slug, trigger, params }: Requested,
): Promise<TakenRun | null> =>
  orchestration.triggerAgentRun({ run_id, agent_slug, trigger, params }).catch((err) => {
    log.warn({ run_id, err }, 'the engine did not take the run; it will be handed over again')
    return null
  })

/** Hands over every run that was requested, the oldest first; returns the ids of those that were taken. */
export async function handOverRuns(parts: Parts): Promise<string[]> {
  const { rows } = await parts.db.query<Requested>(sql`SELECT run_id, agent_slug, trigger, params FROM run
    WHERE status = ${state(runMachine, REQUESTED)} ORDER BY requested_at, run_id LIMIT ${BATCH}`)
  const taken: string[] = []
  for (const run of rows) if (await handOver(parts, run)) taken.push(run.run_id)
  return taken
}
