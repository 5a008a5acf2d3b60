import { z } from 'zod'
import { createRedactor } from '#domain/secret/redact.rules.ts'
import type { Settings } from '../config/settings.ts'
import { reasonOf } from '../fault.ts'
import type { Host } from '../host.ts'
import { canonicalIdOf } from '../identity.ts'

/** What the server said to one heartbeat of this node; `text` is a sentence for the person. */
export type ServerAnswer = { ok: boolean; status: number | null; text: string }

const TIMEOUT_MS = 10_000
const ANSWER = z.object({ ok: z.literal(true), role: z.string(), canonical_id: z.string() })
const REFUSAL = z.object({ detail: z.string() })

/** One heartbeat with the node's own key, as its agent will send it. The key goes to the server that is set and nowhere else: no redirect is followed. */
export async function tryHeartbeat(host: Host, settings: Settings): Promise<ServerAnswer> {
  const server = settings.MEMBRIDGE_SERVER_URL
  const key = settings.MEMBRIDGE_NODE_KEY
  const place = new URL(server).host
  if (key === undefined)
    return { ok: false, status: null, text: 'MEMBRIDGE_NODE_KEY not set: join the node first' }
  const safe = createRedactor([key])
  try {
    const response = await fetch(`${server.replace(/\/+$/, '')}/agent/heartbeat`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { 'content-type': 'application/json', 'x-membridge-agent': key },
      body: JSON.stringify(heartbeatOf(host, settings)),
    })
    const body: unknown = await response.json().catch(() => null)
    const text = safe.text(sentenceOf(response.status, body))
    return {
      ok: ANSWER.safeParse(body).success && response.ok,
      status: response.status,
      text: `${place} ${text}`,
    }
  } catch (error) {
    return { ok: false, status: null, text: safe.text(`${place} cannot be reached: ${causeOf(error)}`) }
  }
}

/** Without a project the node announces itself under the id of its own name. */
function heartbeatOf(host: Host, settings: Settings) {
  const node = settings.MEMBRIDGE_NODE_ID ?? host.name
  const project = settings.CLAUDE_PROJECT_ID
  return {
    node_id: node,
    canonical_id: canonicalIdOf(project ?? node),
    ...(project === undefined ? {} : { project_id: project }),
  }
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'the key is not valid (any more): add the node again in the console',
  403: 'the server refuses this node here',
  404: 'no control plane answers at this address: check MEMBRIDGE_SERVER_URL',
  422: 'the heartbeat was refused',
}

function sentenceOf(status: number, body: unknown): string {
  const answer = ANSWER.safeParse(body)
  if (status === 200 && answer.success)
    return `knows this node: role ${answer.data.role} in ${answer.data.canonical_id}`
  const { data } = REFUSAL.safeParse(body)
  const advice = ADVICE[status] ?? (status < 500 ? 'is this the control plane?' : 'try again later')
  return `answered ${status}${data ? ` (${data.detail.slice(0, 200)})` : ''}: ${advice}`
}

/** `fetch failed` says nothing; the system's own code behind it does. */
function causeOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  const { code, message } = ((error as Error).cause ?? {}) as { code?: string; message?: string }
  return code ?? message?.split('\n')[0] ?? reasonOf(error)
}
