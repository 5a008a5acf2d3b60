import { z } from 'zod'
import { createRedactor, type Redactor } from '#domain/secret/redact.rules.ts'
import type { Settings } from '../config/settings.ts'
import { postJson } from './post-json.ts'

/** One heartbeat over the wire [edge#heartbeats]: no redirect is followed, so the key goes to nobody but the control plane. */
export type Beat = {
  node_id: string
  canonical_id: string
  project_id: string | null
  obs_count: number | null
  db_sha: string | null
  ip_addrs: string[]
  agent_version: string
  last_seen: number
  leadership_enabled: boolean
}

/** What came of it: an answer, a refusal by status, or none that a control plane gives. `why` is one line without a key. */
export type BeatOutcome =
  | { kind: 'answered'; answer: BeatAnswer }
  | { kind: 'refused'; status: number; detail: string | null; why: string }
  | { kind: 'no answer'; status: number | null; why: string }

export type BeatTarget = { url: string; headers: Record<string, string> }

const TIMEOUT_MS = 10_000

const ANSWER = z.object({
  role: z.string().max(64),
  lease_state: z.string().max(64).nullish(),
  epoch: z.number().nullish(),
  term: z.number().nullish(),
})
export type BeatAnswer = z.infer<typeof ANSWER>

type KeySettings = Pick<Settings, 'MEMBRIDGE_NODE_KEY' | 'MEMBRIDGE_SERVER_ADMIN_KEY' | 'MEMBRIDGE_ADMIN_KEY'>

/** Where beats go and by which key: the node's own, else the admin key; null without any. */
export function beatTarget(
  settings: KeySettings & Pick<Settings, 'MEMBRIDGE_SERVER_URL'>,
): BeatTarget | null {
  const admin = settings.MEMBRIDGE_SERVER_ADMIN_KEY ?? settings.MEMBRIDGE_ADMIN_KEY
  const url = `${settings.MEMBRIDGE_SERVER_URL.replace(/\/+$/, '')}/agent/heartbeat`
  if (settings.MEMBRIDGE_NODE_KEY)
    return { url, headers: { 'x-membridge-agent': settings.MEMBRIDGE_NODE_KEY } }
  return admin ? { url, headers: { 'x-membridge-admin': admin } } : null
}

/** Sends it; throws nothing. The key is masked in whatever the other side says of it. */
export async function sendBeat(target: BeatTarget, beat: Beat, stopped: AbortSignal): Promise<BeatOutcome> {
  const redactor = createRedactor(Object.values(target.headers))
  let status: number | null = null
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)])
    const answer = await postJson({ ...target, value: beat, signal })
    status = answer.status
    if (status < 200 || status > 299) {
      const detail = detailOf(answer.text, redactor)
      return { kind: 'refused', status, detail, why: detail ?? `HTTP ${status}` }
    }
    const parsed = ANSWER.safeParse(JSON.parse(answer.text))
    if (parsed.success) return { kind: 'answered', answer: parsed.data }
    return { kind: 'no answer', status, why: 'the answer is not that of a control plane' }
  } catch (error) {
    return { kind: 'no answer', status, why: redactor.text(whyOf(error)) }
  }
}

const DETAIL = z.object({ detail: z.string() })
const MAX_DETAIL = 300

/** What the control plane says of its refusal; masked before it is cut, since half a key is found by nobody. */
function detailOf(text: string, redactor: Redactor): string | null {
  try {
    return redactor.text(DETAIL.parse(JSON.parse(text)).detail).slice(0, MAX_DETAIL)
  } catch {
    return null
  }
}

function whyOf(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  return code ?? (name === 'SyntaxError' ? 'the answer is not JSON' : message)
}
