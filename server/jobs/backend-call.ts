/**
 * The call to the NotebookLM Backend, from the moment its context is ready to its outcome ([jobs#the-backend-call]). The artifact itself
 * arrives at `server/artifacts`; a callback only makes the next poll come sooner.
 */
import sql from 'sql-template-tag'
import type { NlmJobView } from '#contracts/research.contract.ts'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { LEASE_SECONDS, PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import { type CallOutcome, outcomeOfReport } from '#domain/job/nlm-outcome.rules.ts'
import { nlmWorkMachine } from '#domain/nlm/nlm-work.machine.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { AT_FENCE, CALLING, type JobReport, type LeaseRef } from './job-row.ts'
import { type NlmClient, PROCESS_SECONDS } from './nlm-client.ts'
import { backOffJob, failPermanently } from './retry.ts'

/** Seconds between two polls of the NotebookLM Backend when no callback comes. */
const POLL_SECONDS = 10
/** Seconds until the first: before, the call itself may be under way, and a backend that has not taken it says that there is no such job, or tells of an earlier attempt. */
const FIRST_POLL_SECONDS = PROCESS_SECONDS + POLL_SECONDS

export type ReadyContext = LeaseRef & {
  context_key: string
  context_sha256: string
  /** SHA-256 of the write token that goes out with the call ([jobs#the-backend-call]). */
  write_token_hash: string
}

type BadOutcome = Exclude<CallOutcome, { kind: 'accepted' }>

/** J5, for several jobs in one commit, each under its own fence. Returns, in order, which of them moved. */
export async function readyContexts(db: Db, contexts: ReadyContext[]): Promise<boolean[]> {
  const rows = await transition(db, {
    machine: 'job',
    event: 'context_ready',
    actor: ORCHESTRATION_LAYER,
    items: {
      rows: sql`unnest(${contexts.map((c) => c.job_id)}::uuid[], ${contexts.map((c) => c.fence)}::bigint[],
        ${contexts.map((c) => c.context_key)}::text[], ${contexts.map((c) => c.context_sha256)}::text[],
        ${contexts.map((c) => c.write_token_hash)}::text[]) AS i(i_job, i_fence, i_key, i_sha, i_token)`,
      columns: ['i_key', 'i_sha', 'i_token'],
    },
    where: sql`o.job_id = i.i_job AND o.fence = i.i_fence`,
    prepared: true,
    set: sql`context_key = o.i_key, context_sha256 = o.i_sha, write_token_hash = o.i_token,
      lease_expires_at = ${fromNow(LEASE_SECONDS)}, phase_deadline = ${fromNow(PHASE_LIMIT_SECONDS.NOTEBOOKLM_CALL)}, poll_at = ${fromNow(FIRST_POLL_SECONDS)}`,
    details: AT_FENCE,
    returning: ['job_id'],
  })
  const moved = new Set(rows.map((r) => r.job_id))
  return contexts.map((c) => moved.has(c.job_id))
}

/**
 * Polls the NotebookLM Backend about calls that stay silent or whose callback has just come. A failure that was reported is asked
 * back here, under the fence of the attempt in which it came ([jobs#I-C2]): a backend that forgot the job or does not answer leaves the
 * report as it is, one that is at work shows that the report was of an earlier attempt. Returns how many jobs moved.
 */
export async function pollBackend(
  services: Pick<Services, 'db'>,
  nlm: Pick<NlmClient, 'job'>,
): Promise<number> {
  const { rows } = await services.db.query<
    LeaseRef & { report: JobReport | null }
  >(sql`UPDATE job j SET poll_at = ${fromNow(POLL_SECONDS)}
    FROM (SELECT p.job_id FROM job p WHERE p.status = ${CALLING} AND p.poll_at <= clock_timestamp() AND p.lease_expires_at > clock_timestamp()
      ORDER BY p.poll_at LIMIT 32 FOR UPDATE SKIP LOCKED) due
    WHERE j.job_id = due.job_id RETURNING j.job_id, j.fence, (SELECT c.error FROM job_callback c WHERE c.job_id = j.job_id AND c.fence = j.fence
      AND c.error IS NOT NULL ORDER BY c.received_at DESC LIMIT 1) AS report`)
  const moved = await Promise.all(
    rows.map(async ({ report, ...lease }) => {
      const view = await nlm.job(lease.job_id)
      const outcome = report && !view ? outcomeOfReport(report) : outcomeOfView(view)
      if (outcome) return handleCallOutcome(services, lease, outcome)
      if (report) await forgetReports(services.db, lease)
      return false
    }),
  )
  return moved.filter(Boolean).length
}

/** The backend is at work on the job, so what was reported is not of this attempt. */
const forgetReports = (db: Db, { job_id, fence }: LeaseRef) =>
  db.query(sql`UPDATE job_callback SET error = NULL WHERE job_id = ${job_id} AND fence = ${fence}`)

/** J8 or J9, as a bad outcome of the call demands. True when the lease was still the holder's and the job moved. */
export async function handleCallOutcome(
  services: Pick<Services, 'db'>,
  lease: LeaseRef,
  outcome: BadOutcome,
): Promise<boolean> {
  if (outcome.kind === 'fatal') return failPermanently(services.db, lease, outcome)
  return (await backOffJob(services, 'nlm_busy', lease, outcome)) !== null
}

/** What the backend's own account of the work means; null when there is nothing to do but wait. */
export function outcomeOfView(view: NlmJobView | null | undefined): BadOutcome | null {
  if (view === undefined) return null
  const refused = [...(view?.error?.refused ?? []), ...(view?.refused ?? [])]
  const gone = (message: string) => outcomeOfReport({ code: 'NLM_UNAVAILABLE', message, refused })
  if (view === null) return gone('The NotebookLM Backend no longer knows this job.')
  if (view.state === nlmWorkMachine.events.fail.to) {
    const { code = '', message = 'The NotebookLM Backend reported an error.' } = view.error ?? {}
    return outcomeOfReport({ code, message, refused })
  }
  return view.state === nlmWorkMachine.events.finish.to
    ? gone('The NotebookLM Backend finished, but its artifact did not arrive.')
    : null
}
