import type { NodeContext } from './node-context.ts'

const LIMIT_MS = 2_000

/**
 * Tells the Membridge Control Plane what was synced, in a heartbeat. Best effort: without a key, without an answer within 2 s, or refused, it is left to
 * the agent's next heartbeat, and nothing is said of it.
 */
export async function reportCounts(
  { settings, nodeId, canonicalId, project }: NodeContext,
  synced: { sha256: string; observations: number } | null,
): Promise<void> {
  const { MEMBRIDGE_SERVER_URL, MEMBRIDGE_SERVER_ADMIN_KEY, MEMBRIDGE_ADMIN_KEY, MEMBRIDGE_AGENT_KEY } =
    settings
  const admin = MEMBRIDGE_SERVER_ADMIN_KEY ?? MEMBRIDGE_ADMIN_KEY
  const key: Record<string, string> = admin
    ? { 'x-membridge-admin': admin }
    : { 'x-membridge-agent': MEMBRIDGE_AGENT_KEY ?? '' }
  if (synced === null || !(admin ?? MEMBRIDGE_AGENT_KEY)) return
  const beat = {
    node_id: nodeId,
    canonical_id: canonicalId,
    project_id: project,
    obs_count: synced.observations,
    db_sha: synced.sha256,
  }
  try {
    const address = `${MEMBRIDGE_SERVER_URL.replace(/\/+$/, '')}/agent/heartbeat`
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key },
      body: JSON.stringify(beat),
      // A key goes to the address that was configured, and to no other.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    await answer.body?.cancel()
  } catch {}
}
