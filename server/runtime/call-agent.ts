/**
 * A short call to the agent of a worker [runtime#agents]: to its registered address and nowhere else, under its own key, without redirects.
 */
import { addressFault, NODE_NETWORKS } from '#server/membridge/node-address.ts'
import { detailIn } from '#server/membridge/node-report.ts'
import { createGuardedFetch, OutboundFailed, OutboundRefused } from '#server/outbound/guarded-fetch.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024

export type AgentCall = { url: string; key: string; at: `GET /${string}` | `POST /${string}` }

/** `json` is undefined where the body is none; `detail` is what a refusal says of itself, in the form that existing agents use. */
export type AgentAnswer = { status: number; json: unknown; detail: string | null } | { fault: string }

export async function callAgent(
  { url, key, at }: AgentCall,
  env: { ALLOW_INSECURE_LAN: boolean },
): Promise<AgentAnswer> {
  const fault = addressFault(url, env)
  if (fault) return { fault }
  const [method, path] = at.split(' ') as ['GET' | 'POST', string]
  const agent = createGuardedFetch({
    ...{ origins: [new URL(url).origin], addresses: NODE_NETWORKS },
    ...{ maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS },
  })
  try {
    const { status, body } = await agent.fetch(`${url}${path}`, {
      method,
      headers: { 'x-membridge-agent': key, ...(method === 'POST' ? JSON_BODY : {}) },
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    return { status, json: jsonOf(body), detail: status === 200 ? null : detailIn(body) }
  } catch (error) {
    if (error instanceof OutboundFailed || error instanceof OutboundRefused)
      return { fault: `The agent wasn't reached: ${error.message}.` }
    throw error
  } finally {
    await agent.close()
  }
}

const JSON_BODY = { 'content-type': 'application/json' }

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
