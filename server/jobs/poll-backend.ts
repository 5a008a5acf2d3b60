import sql from 'sql-template-tag'
import type { NlmJobView } from '#contracts/research.contract.ts'
import { type CallOutcome, outcomeOfReport } from '#domain/job/nlm-outcome.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Hold } from './held-job.ts'
import type { NlmClient } from './nlm-client.ts'
import { POLL_SECONDS } from './ready-contexts.ts'
import { settleCall } from './settle-call.ts'

type Due = Hold

/**
 * Asks the NotebookLM Backend about calls that have not been heard of for 10 s, or whose callback has just come: a callback only wakes,
 * what it claims is asked for here, under the fence of the present try, so that an old or doubled one changes nothing (11:C2–C5).
 * Returns how many jobs moved.
 */
export async function pollBackend(
  services: Pick<Services, 'db' | 'database'>,
  nlm: Pick<NlmClient, 'job'>,
): Promise<number> {
  const { rows } = await services.db.query<Due>(sql`UPDATE job j SET poll_at = ${fromNow(POLL_SECONDS)}
    FROM (SELECT p.job_id FROM job p WHERE p.status = 'NOTEBOOKLM_CALL' AND p.poll_at <= clock_timestamp() AND p.lease_expires_at > clock_timestamp()
      ORDER BY p.poll_at LIMIT 32 FOR UPDATE SKIP LOCKED) due
    WHERE j.job_id = due.job_id RETURNING j.job_id, j.fence`)
  const moved = await Promise.all(rows.map((job) => askAbout(services, nlm, job)))
  return moved.filter(Boolean).length
}

async function askAbout(
  services: Pick<Services, 'db' | 'database'>,
  nlm: Pick<NlmClient, 'job'>,
  job: Due,
): Promise<boolean> {
  const outcome = outcomeOfView(await nlm.job(job.job_id))
  return outcome ? settleCall(services, job, outcome) : false
}

/** What the backend's own account of the work means; null when there is nothing to do but wait. */
export function outcomeOfView(
  view: NlmJobView | null | undefined,
): Exclude<CallOutcome, { kind: 'accepted' }> | null {
  if (view === undefined) return null
  const gone = (message: string) => ({ kind: 'busy', code: 'NLM_UNAVAILABLE', message }) as const
  if (view === null) return gone('the NotebookLM Backend no longer knows this work')
  if (view.state === 'ERROR') {
    return outcomeOfReport(
      view.error?.code ?? '',
      view.error?.message ?? 'the NotebookLM Backend reported an error',
    )
  }
  return view.state === 'DONE' ? gone('the work is done, but its artifact did not arrive') : null
}
