/** The page's view of one job for component tests. */
import { type JobAttempt, type JobDetail, type JobError, jobDetail } from '#contracts/job.contract.ts'
import { AT, aJob } from './jobs.ts'

const BEGAN = Date.parse(AT)
/** So many seconds after the first attempt began. */
export const second = (n: number): string => new Date(BEGAN + n * 1_000).toISOString()

export const anError = (code = 'NLM_UNAVAILABLE', message = 'connect ECONNREFUSED'): JobError => ({
  code,
  message,
  phase: 'NOTEBOOKLM_CALL',
  retryable: true,
  at: AT,
})

type Given = Partial<JobAttempt> & { begins: number; ends: number | null }

/** An attempt that worked from one second to another, the first of them on its context. */
export function anAttempt(attempt: number, { begins, ends, ...more }: Given): JobAttempt {
  const length = ends === null ? null : (ends - begins) * 1_000
  return {
    attempt,
    round: 0,
    queued_at: second(begins - 2),
    started_at: second(begins),
    finished_at: ends === null ? null : second(ends),
    ms: length,
    phases: [
      { state: 'CONTEXT_ASSEMBLY', started_at: second(begins), ms: 1_000 },
      { state: 'NOTEBOOKLM_CALL', started_at: second(begins + 1), ms: length && length - 1_000 },
    ],
    backoff_until: null,
    outcome: ends === null ? 'running' : 'retried',
    error: ends === null ? null : anError(),
    ...more,
  }
}

/** DEAD after two attempts, unless it is said otherwise. */
export const aJobDetail = (more: Partial<JobDetail> = {}): JobDetail =>
  jobDetail.parse({
    ...aJob(1, { failure_kind: 'exhausted', error: anError() }),
    payload: { query: 'What do bees need in May?' },
    payload_digest: 'a'.repeat(64),
    context_sha256: null,
    context: { memory_snapshot_url: null, entity_refs: [] },
    lease: null,
    actions: ['requeue'],
    artifact: null,
    replays: [],
    attempts: [
      anAttempt(0, { begins: 0, ends: 20, backoff_until: second(35) }),
      anAttempt(1, { begins: 37, ends: 60, outcome: 'failed' }),
    ],
    history: [],
    now: second(100),
    ...more,
  } satisfies JobDetail)
