/**
 * `POST /execute-task` of a node, and what its answer, or the want of one, means [runtime#dispatch].
 *
 *   not taken, for certain     connection refused, no such name, 401, 403, 404, 429, 503: the task is handed back and costs no attempt
 *   an answer                  a second channel for the report, by the same rules
 *   409                        the node found its lease lost and threw the work away: there is nothing to report, the lease runs to its end
 *   sent, and no answer        nothing is known: the same
 */
import { addressFault, NODE_NETWORKS } from '#server/membridge/node-address.ts'
import { createGuardedFetch, OutboundFailed, OutboundRefused } from '#server/outbound/guarded-fetch.ts'
import type { NotTaken } from './end-lease.ts'

const CONNECT_MS = 10_000
/** The output of a task, and what stands around it. */
const MAX_BYTES = 4 * 1024 * 1024
/** How long an answer is waited for beyond the task's own time. */
const BEYOND_SECONDS = 60

/** What nobody can have received: the connection did not come about. */
const NOT_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]
const DID_NOT_TAKE = [401, 403, 404, 405, 429, 503]
const LOST_ITS_LEASE = 409

export type Called =
  | { kind: 'not_taken'; why: NotTaken }
  | { kind: 'answered'; body: Record<string, unknown> }
  | { kind: 'unknown'; message: string }

export type WorkerCall = {
  url: string
  key: string
  body: unknown
  timeoutSeconds: number
  /** How long a busy node is left alone when it does not say. */
  restSeconds: number
  signal?: AbortSignal | undefined
}

export async function callWorker(call: WorkerCall, env: { ALLOW_INSECURE_LAN: boolean }): Promise<Called> {
  const fault = addressFault(call.url, env)
  if (fault) return { kind: 'not_taken', why: { message: fault } }
  const { origin } = new URL(call.url)
  const node = createGuardedFetch({
    ...{ origins: [origin], addresses: NODE_NETWORKS, maxBytes: MAX_BYTES },
    ...{ timeoutMs: (call.timeoutSeconds + BEYOND_SECONDS) * 1_000, connectMs: CONNECT_MS },
  })
  try {
    const answer = await node.fetch(`${call.url}/execute-task`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-membridge-agent': call.key },
      body: JSON.stringify(call.body),
      ...(call.signal ? { signal: call.signal } : {}),
    })
    return meaningOf(answer, call)
  } catch (error) {
    return faultOf(error)
  } finally {
    await node.close()
  }
}

type Answer = { status: number; headers: Record<string, string>; body: Buffer }

function meaningOf({ status, headers, body }: Answer, call: WorkerCall): Called {
  if (DID_NOT_TAKE.includes(status)) {
    const message = `The node answered ${status}.`
    if (status !== 429) return { kind: 'not_taken', why: { message } }
    const after = Number(headers['retry-after'])
    return {
      kind: 'not_taken',
      why: { message, restSeconds: after > 0 ? Math.min(after, 3_600) : call.restSeconds },
    }
  }
  if (status === LOST_ITS_LEASE)
    return { kind: 'unknown', message: 'The node found its lease lost and stopped the work.' }
  const parsed = parse(body)
  if (parsed) return { kind: 'answered', body: parsed }
  if (status >= 400) return { kind: 'answered', body: { ok: false, error: `HTTP ${status}` } }
  return { kind: 'unknown', message: 'The node answered with something that is no report.' }
}

function parse(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

function faultOf(error: unknown): Called {
  // Whatever refuses the address does so before anything is sent; what refuses an answer comes after it was.
  if (error instanceof OutboundRefused)
    return error.reason === 'size' || error.reason === 'type'
      ? { kind: 'unknown', message: error.message }
      : { kind: 'not_taken', why: { message: error.message } }
  if (error instanceof OutboundFailed)
    return NOT_SENT.includes(codeOf(error))
      ? { kind: 'not_taken', why: { message: error.message } }
      : { kind: 'unknown', message: error.message }
  if (error instanceof Error && error.name === 'AbortError')
    return { kind: 'unknown', message: 'This process stopped waiting for the answer.' }
  throw error
}

function codeOf(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: unknown }
    if (typeof code === 'string') return code
    // Several addresses of one name were tried.
    if (e instanceof AggregateError) return codeOf(e.errors[0])
  }
  return ''
}
