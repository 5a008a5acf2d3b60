import { artifactWritten, type NlmCallback, type RefusedAddress } from '#contracts/research.contract.ts'
import { NLM_DELIVERY_WAITS_SECONDS } from '#domain/nlm/nlm-work.machine.ts'
import { signBody } from '#server/outbound/callback-signature.ts'
import {
  type GuardedFetch,
  type OutboundAnswer,
  OutboundFailed,
  OutboundRefused,
  originOf,
} from '#server/outbound/guarded-fetch.ts'
import type { NlmEnv } from './nlm-env.ts'
import { assertCurrent, type Work, WorkFailed } from './work.ts'

/**
 * Delivery: the artifact to the Artifact Store under the job's write token, then the callback. Both are attempted at 0, 1, 2, 4, 8, 16 s on
 * network errors, 5xx, 408 and 429; any other 4xx ends it. A token or callback address that a repeated call brought meanwhile is used at the
 * next attempt. A delivery whose work was started again stops before its next attempt. An address that a rule forbids ends it as well, and is
 * kept with the work, by its origin alone, for the audit of whoever asks.
 */
export type DeliveryTools = {
  env: NlmEnv
  guard: GuardedFetch
  /** Waits; injected so that tests need no time. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  now: () => Date
  newId: () => string
  stopped: AbortSignal
}

const isTransient = (status: number) => status >= 500 || status === 408 || status === 429

type Post = () => { url: string; headers: Record<string, string>; body: string }

/** The first definite answer, or null when every attempt failed, or the address was refused. */
type Posted = { answer: OutboundAnswer | null; refused?: RefusedAddress }

async function postWithRetries(
  tools: DeliveryTools,
  work: Work,
  execution: number,
  post: Post,
): Promise<Posted> {
  for (const seconds of NLM_DELIVERY_WAITS_SECONDS) {
    if (seconds > 0) await tools.pause(seconds * 1000, tools.stopped)
    assertCurrent(work, execution)
    const { url, headers, body } = post()
    try {
      const sent = {
        method: 'POST' as const,
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }
      const answer = await tools.guard.fetch(url, { ...sent, signal: tools.stopped })
      if (!isTransient(answer.status)) return { answer }
    } catch (error) {
      if (error instanceof OutboundRefused)
        return { answer: null, refused: { origin: originOf(url), reason: error.reason } }
      if (!(error instanceof OutboundFailed)) throw error
    }
  }
  return { answer: null }
}

/**
 * Writes the artifact; throws WorkFailed. A write token that is no longer valid belongs to an attempt that is over: no callback. When a
 * repeated call brought a newer token meanwhile, that one is used.
 */
export async function deliverArtifact(tools: DeliveryTools, work: Work, execution: number): Promise<void> {
  const body = JSON.stringify(work.submission)
  let used = ''
  const post: Post = () => {
    used = work.request.write_token
    return {
      url: `${tools.env.ARTIFACT_API_URL}/artifacts`,
      headers: { authorization: `Bearer ${used}` },
      body,
    }
  }
  let { answer, refused } = await postWithRetries(tools, work, execution, post)
  while (answer && isTokenRefused(answer.status) && used !== work.request.write_token) {
    ;({ answer, refused } = await postWithRetries(tools, work, execution, post))
  }
  assertCurrent(work, execution)
  if (refused)
    throw new WorkFailed('NLM_UNAVAILABLE', 'The address of the Artifact Store was refused.', { refused })
  if (!answer) throw new WorkFailed('NLM_UNAVAILABLE', 'The Artifact Store did not take the artifact.')
  if (isTokenRefused(answer.status)) {
    throw new WorkFailed('NLM_UNAVAILABLE', `The write token was refused (${answer.status}).`, {
      silent: true,
    })
  }
  const written = artifactWritten.safeParse(answer.status < 300 ? json(answer.body) : undefined)
  if (!written.success) {
    throw new WorkFailed('STRUCTURE_ERROR', `The Artifact Store refused the artifact (${answer.status}).`)
  }
  work.artifact = { artifact_id: written.data.artifact_id, artifact_url: written.data.url }
}

const isTokenRefused = (status: number) => status === 401 || status === 403 || status === 409

/** Sends the callback. Where that could not be done the work stays readable by `GET /jobs/{id}`, and says so when the address was refused. */
export async function deliverCallback(
  tools: DeliveryTools,
  work: Work,
  execution: number,
): Promise<{ delivered: boolean; refused?: RefusedAddress }> {
  const body = JSON.stringify(callbackOf(work))
  const id = `msg_${tools.newId()}`
  const { answer, refused } = await postWithRetries(tools, work, execution, () => ({
    url: work.request.callback,
    headers: {
      authorization: `Bearer ${tools.env.MEMBRIDGE_CALLBACK_TOKEN}`,
      ...signBody(tools.env.MEMBRIDGE_CALLBACK_SIGNING_KEY, id, tools.now(), body),
    },
    body,
  }))
  if (refused) work.refused = [refused]
  return { delivered: answer !== null && answer.status < 300, ...(refused ? { refused } : {}) }
}

function callbackOf({ jobId, artifact, error }: Work): NlmCallback {
  if (error && error.code !== 'CANCELLED') {
    return {
      job_id: jobId,
      status: 'FAILED',
      error: { code: error.code, message: error.message.slice(0, 2000) },
    }
  }
  return { job_id: jobId, status: 'COMPLETE', ...artifact }
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
