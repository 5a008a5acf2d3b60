import sql from 'sql-template-tag'
import { COUNT_CAP } from '#contracts/job.contract.ts'
import type { JobResolved, JobResolveInput } from '#contracts/job-failures.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { ENDED_BADLY } from './list-jobs.query.ts'
import { operateFault } from './operate-job.ts'

/** A person has dealt with what failed in this way until `through`; the jobs stay as they are. Of two at once one resolves it. */
export async function resolveFailures(
  { db }: Pick<Services, 'db'>,
  { code, phase, through, reason }: JobResolveInput,
  caller: Caller,
): Promise<Result<JobResolved>> {
  const fault = await operateFault(db, caller)
  if (fault) return refuse(fault)
  // As many of the newest are looked at as the groups are made of.
  const { rows } = await db.query<
    Row<'job_failure_resolution', 'resolved_at'>
  >(sql`INSERT INTO job_failure_resolution (code, phase, through, resolved_by, reason)
    SELECT ${code}, ${phase}, least(${through}::timestamptz, clock_timestamp()), ${caller.identity}, ${redactText(reason)}
    WHERE EXISTS (SELECT 1 FROM (SELECT failure FROM job WHERE status IN ${states(jobMachine, ...ENDED_BADLY)}
        AND finished_at <= ${through}::timestamptz ORDER BY finished_at DESC, job_id DESC LIMIT ${COUNT_CAP}) seen
      WHERE failure[1] = ${code} AND failure[2] = ${phase})
    ON CONFLICT DO NOTHING RETURNING resolved_at`)
  const resolved_at = rows[0]?.resolved_at.toISOString()
  if (!resolved_at)
    return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'This group has just changed. Reload it.' })
  await recordEvent(db, {
    name: 'job.failures.resolved',
    actor: caller,
    resource: { type: 'job_failures', id: `${code}/${phase}` },
    reason,
    details: { code, phase, through },
  })
  return ok({ code, phase, resolved_at, resolved_by: caller.identity })
}
