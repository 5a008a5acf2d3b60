/**
 * The Orchestration Layer's side of the NotebookLM Backend (contract page 04, sections 1.1 and 1.2): three calls to one configured
 * origin, with the key only there and no redirects. Nothing throws: a backend that is slow, broken or gone is an outcome.
 */
import { type NlmJobView, nlmJobView, type ProcessRequest } from '#contracts/research.contract.ts'
import { type CallOutcome, outcomeOfStatus, retryAfterSeconds } from '#domain/job/nlm-outcome.rules.ts'

export type NlmClient = {
  /** `POST /jobs/process`, as J8 and J9 read the answer. */
  process(request: ProcessRequest, signal?: AbortSignal): Promise<CallOutcome>
  /** `GET /jobs/{id}`: the work, null when the backend definitely does not know it, undefined when nobody can tell. */
  job(jobId: string): Promise<NlmJobView | null | undefined>
  /** `POST /jobs/{id}/cancel`, best effort. */
  cancel(jobId: string): Promise<void>
}

const PROCESS_MS = 20_000
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
          PROCESS_MS,
          signal,
        )
        const rest = retryAfterSeconds(answer.headers.get('retry-after'), new Date())
        return outcomeOfStatus(answer.status, answer.ok ? '' : await detailOf(answer), rest)
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

async function detailOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '')
  return text.replace(/\s+/g, ' ').slice(0, DETAIL_CHARS)
}

/** Why there was no answer, without addresses: `connect ECONNREFUSED 127.0.0.1:8080` names no secret but helps nobody either. */
function whyOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  if (name === 'TimeoutError') return 'the NotebookLM Backend did not answer in time'
  if (name === 'AbortError') return 'the call was given up'
  return `the NotebookLM Backend cannot be reached${cause?.code ? ` (${cause.code})` : ''}`
}

/** The client of the configured backend. */
export const nlmClientOf = (env: { NLM_URL: string; NOTEBOOKLM_API_KEY: string }): NlmClient =>
  createNlmClient({ url: env.NLM_URL, apiKey: env.NOTEBOOKLM_API_KEY })
