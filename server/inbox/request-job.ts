import sql from 'sql-template-tag'
import type { JobSubmitInput, JobSubmitted } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Row } from '#server/ledger/rows.ts'
import { type InboxServices, submitEntry } from './submit-entry.ts'
import { unresolvedEntry } from './unresolved-entry.ts'

/**
 * The owner asks for a job: an Inbox Entry and the job in one transaction ([jobs#I-J8]). With a `job_id` the same request again gives the
 * same job or the same refusal, and another request 409 ([jobs#J1]).
 */
export async function requestJob(
  services: InboxServices,
  input: JobSubmitInput,
  caller: Caller,
): Promise<Result<JobSubmitted>> {
  const { job_id, job_type, agent_slug, payload, priority } = input
  const answer = await submitEntry(
    services,
    {
      intent: {
        action: 'propose-artifact',
        target: `agents/${agent_slug}`,
        payload: { job_type, payload, ...(job_id && { job_id }) },
      },
      metadata: { priority, ...(job_id && { correlation_id: `job:${job_id}` }) },
    },
    caller,
  )
  if (!answer.ok) return answer
  const { inbox_id, resolution } = answer.value
  if (!resolution) return refuse(await unresolvedEntry(services.db, answer.value))
  const { rows } = await services.db.query<Row<'job', 'status'>>(
    sql`SELECT status FROM job WHERE job_id = ${resolution.id}::uuid`,
  )
  if (!rows[0]) return refuse(await unresolvedEntry(services.db, answer.value))
  return ok({ job_id: resolution.id, inbox_id, status: rows[0].status })
}
