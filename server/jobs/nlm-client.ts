/**
 * The Orchestration Layer's side of the NotebookLM Backend ([nlm-backend#endpoints]): three calls to one configured origin, with the key
 * only there and no redirects. Nothing throws: a backend that is slow, broken or gone is an outcome.
 */
import {
  type NlmJobView,
  nlmFaults,
  nlmJobView,
  type ProcessRequest,
  type RefusedAddress,
} from '#contracts/research.contract.ts'
import {
  type AnswerDetail,
  type CallOutcome,
  outcomeOfStatus,
  retryAfterSeconds,
} from '#domain/job/nlm-outcome.rules.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'

export type NlmClient = {
  /** `POST /jobs/process`, as J8 and J9 read the answer. */
  process(request: ProcessRequest, signal?: AbortSignal): Promise<CallOutcome>
  /** `GET /jobs/{id}`: the work, null when the backend definitely does not know it, undefined when that is unknown. */
  job(jobId: string): Promise<NlmJobView | null | undefined>
  /** `POST /jobs/{id}/cancel`, best effort. */
  cancel(jobId: string): Promise<void>
}

/** How long `process` waits for its answer at most. */
export const PROCESS_SECONDS = 20
const ASK_MS = 3_000
const DETAIL_CHARS = 300

export function createNlmClient({ url, apiKey }: { url: string; apiKey: string }): NlmClient {
  const send = (path: string, init: RequestInit, limit: number, signal?: AbortSignal) =>
    fetch(`${url}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(limit)]) : AbortSignal.timeout(limit),
    })
  return {
    async process(request, signal) {
      try {
        const answer = await send(
          '/jobs/process',
          { method: 'POST', body: JSON.stringify(request) },
          PROCESS_SECONDS * 1_000,
          signal,
        )
        const retryAfter = retryAfterSeconds(answer.headers.get('retry-after'), new Date())
        const said = answer.ok ? {} : await detailOf(answer)
        return outcomeOfStatus(answer.status, {
          ...said,
          ...(retryAfter === undefined ? {} : { retryAfter }),
        })
      } catch (error) {
        return { kind: 'busy', code: 'NLM_UNAVAILABLE', message: whyOf(error) }
      }
    },
    async job(jobId) {
      try {
        const answer = await send(`/jobs/${jobId}`, { method: 'GET' }, ASK_MS)
        if (answer.status === 404) return null
        return answer.ok ? nlmJobView.parse(await answer.json()) : undefined
      } catch {
        return undefined
      }
    },
    async cancel(jobId) {
      await send(`/jobs/${jobId}/cancel`, { method: 'POST', body: '{}' }, ASK_MS).catch(() => {})
    },
  }
}

async function detailOf(answer: Response): Promise<AnswerDetail> {
  const text = await answer.text().catch(() => '')
  const refused = refusedIn(text)
  const detail = text.replace(/\s+/g, ' ').slice(0, DETAIL_CHARS)
  return { detail, refused }
}

/** The addresses that a 422 says are refused. */
function refusedIn(text: string): RefusedAddress[] {
  try {
    return nlmFaults.parse(JSON.parse(text)).errors.flatMap(({ refused }) => refused ?? [])
  } catch {
    return []
  }
}

/** Why there was no answer; the code of the socket's error, no address. */
function whyOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  if (name === 'TimeoutError') return 'The NotebookLM Backend did not answer in time.'
  if (name === 'AbortError') return 'The call was aborted.'
  return `The NotebookLM Backend cannot be reached${cause?.code ? ` (${cause.code})` : ''}.`
}

/** The client of the configured backend. */
export const nlmClientOf = (env: { NLM_URL: string; NOTEBOOKLM_API_KEY: string }): NlmClient =>
  createNlmClient({ url: env.NLM_URL, apiKey: env.NOTEBOOKLM_API_KEY })

/** Where the NotebookLM Backend finds snapshots, and where it reports. */
export type GatewayEnv = Pick<Services['env'], 'GATEWAY_URL' | 'NLM_CALLBACK_URL'>

/** Where the NotebookLM Backend reports: built from the configuration and the job alone ([jobs#I-C6]). */
export const callbackUrl = (env: GatewayEnv, jobId: string): string =>
  `${env.NLM_CALLBACK_URL}/jobs/${jobId}/result`

/** Where a snapshot is read, once the address is signed. */
export const snapshotUrl = (env: GatewayEnv, sha256: string): string =>
  `${env.GATEWAY_URL}/api/v1/contexts/${sha256}.json`

/** 422 for a callback that is not the one the job has anyway; its id may stand as `{job_id}`. Undefined when there is nothing to refuse. */
export function foreignCallback(
  env: GatewayEnv,
  { job_id, callback }: { job_id?: string | undefined; callback?: string | undefined },
): Result<never> | undefined {
  const own = [callbackUrl(env, '{job_id}'), ...(job_id ? [callbackUrl(env, job_id)] : [])]
  if (callback === undefined || own.includes(callback)) return undefined
  const details = [{ field: 'callback', message: `must be ${own.at(-1)}, or be left out` }]
  return refuse({ code: 'VALIDATION_FAILED', message: 'Jobs report to this installation alone.', details })
}
