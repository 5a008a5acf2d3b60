/** SQL: the last event of a kind for each of some jobs, by the index of an object's events. */
import sql from 'sql-template-tag'
import { ACTIVE_JOB_STATES, type JobEvent, jobMachine } from '#domain/job/job.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { states } from '#server/ledger/states.ts'

/** When the last attempt began, and when its work ended: null while it goes on. */
export type AttemptTimes = { started_at: Date; ended_at: Date | null }

const PICKED_UP = 'pick_up' satisfies JobEvent
const ACTIVE = states(jobMachine, ...ACTIVE_JOB_STATES)

/** The last attempt of each of these jobs, from its claim to the transition that ended it; a job that was never claimed has none. */
export async function attemptTimesOf(
  db: Db,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, AttemptTimes>> {
  if (jobIds.length === 0) return new Map()
  const { rows } = await db.query<
    AttemptTimes & { job_id: string }
  >(sql`SELECT j.id AS job_id, begun.ts AS started_at,
      (SELECT e.ts FROM event e WHERE e.resource_type = 'job' AND e.resource_id = j.id AND e.id > begun.id AND e.outcome = 'ok'
        AND e.from_status IN ${ACTIVE} AND e.to_status NOT IN ${ACTIVE} ORDER BY e.id LIMIT 1) AS ended_at
    FROM unnest(${[...jobIds]}::text[]) AS j(id), LATERAL (SELECT e.id, e.ts FROM event e WHERE e.resource_type = 'job' AND e.resource_id = j.id
      AND e.outcome = 'ok' AND e.transition = ${PICKED_UP} ORDER BY e.id DESC LIMIT 1) begun`)
  return new Map(rows.map(({ job_id, ...times }) => [job_id, times]))
}
