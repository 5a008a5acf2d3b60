import { nodeBeat, unregistered } from '../agent/node-beat.ts'
import { type BeatOutcome, beatTarget, sendBeat } from '../agent/send-beat.ts'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'

/** What the server said to one heartbeat of this node; `text` is a sentence for the person. */
export type ServerAnswer = { ok: boolean; status: number | null; text: string }

/** One heartbeat with the node's own key, as its agent sends it before a project is registered. */
export async function tryHeartbeat(
  host: Host,
  settings: Settings,
  stopped: AbortSignal,
): Promise<ServerAnswer> {
  const target = beatTarget(settings)
  if (settings.MEMBRIDGE_NODE_KEY === undefined || target === null)
    return { ok: false, status: null, text: 'MEMBRIDGE_NODE_KEY not set: join the node first' }
  const nodeId = settings.MEMBRIDGE_NODE_ID ?? host.name
  const announced = unregistered(nodeId, settings.CLAUDE_PROJECT_ID)
  const beat = nodeBeat({ nodeId, leadershipEnabled: settings.LEADERSHIP_ENABLED }, announced)
  const outcome = await sendBeat(target, beat, stopped)
  const place = new URL(target.url).host
  return { ...statusOf(outcome), text: `${place} ${sentenceOf(outcome, announced.canonical_id)}` }
}

const statusOf = (outcome: BeatOutcome): Omit<ServerAnswer, 'text'> =>
  outcome.kind === 'answered' ? { ok: true, status: 200 } : { ok: false, status: outcome.status }

const ADVICE: Readonly<Record<number, string>> = {
  401: 'the key is not valid (any more): add the node again in the console',
  403: 'the server refuses this node here',
  404: 'no control plane answers at this address: check MEMBRIDGE_SERVER_URL',
  422: 'the heartbeat was refused',
}

function sentenceOf(outcome: BeatOutcome, canonicalId: string): string {
  if (outcome.kind === 'answered') return `knows this node: role ${outcome.answer.role} in ${canonicalId}`
  const { status } = outcome
  if (status === null) return `cannot be reached: ${outcome.why}`
  const advice = ADVICE[status] ?? (status < 500 ? 'is this the control plane?' : 'try again later')
  const detail = outcome.kind === 'refused' ? outcome.detail : null
  return `answered ${status}${detail ? ` (${detail})` : ''}: ${advice}`
}
