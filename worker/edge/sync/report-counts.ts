import { nodeBeat } from '../agent/node-beat.ts'
import { beatTarget, sendBeat } from '../agent/send-beat.ts'
import type { NodeContext } from './node-context.ts'

const LIMIT_MS = 2_000

/**
 * Tells the Membridge Control Plane what was synced, in a heartbeat as the agent sends it. Best effort: without a key, without an answer within 2 s, or
 * refused, it is left to the agent's next heartbeat, and nothing is said of it.
 */
export async function reportCounts(
  { settings, nodeId, canonicalId, project }: NodeContext,
  synced: { sha256: string; observations: number } | null,
): Promise<void> {
  const target = beatTarget(settings)
  if (synced === null || target === null) return
  const beat = nodeBeat(
    { nodeId, leadershipEnabled: settings.LEADERSHIP_ENABLED },
    { canonical_id: canonicalId, project_id: project },
    { obs_count: synced.observations, db_sha: synced.sha256 },
  )
  await sendBeat(target, beat, AbortSignal.timeout(LIMIT_MS))
}
