import os from 'node:os'
import type { Settings } from '../config/settings.ts'
import { canonicalIdOf } from '../identity.ts'
import { VERSION } from '../version.ts'
import type { Beat } from './send-beat.ts'

/**
 * The body of a heartbeat, for all that send one: the loop of the agent, a push that reports its counts, and the check of `membridge join`.
 * A field that one of them left out would take back what another has told.
 */
export type BeatingNode = { nodeId: string; leadershipEnabled: boolean }
export type BeatProject = Pick<Beat, 'canonical_id' | 'project_id'>
type Synced = Partial<Pick<Beat, 'obs_count' | 'db_sha'>>

/** A beat of now. Counts that are not given are unknown, upon which the control plane keeps what it was told before. */
export const nodeBeat = (
  { nodeId, leadershipEnabled }: BeatingNode,
  project: BeatProject,
  { obs_count = null, db_sha = null }: Synced = {},
): Beat => ({
  node_id: nodeId,
  ...project,
  obs_count,
  db_sha,
  ip_addrs: addresses(),
  agent_version: VERSION,
  last_seen: Date.now() / 1000,
  leadership_enabled: leadershipEnabled,
})

/** What a node announces before a project is registered: the one that it is set up for, else itself under the id of its own name. */
export const unregistered = (nodeId: string, project: Settings['CLAUDE_PROJECT_ID']): BeatProject => ({
  canonical_id: canonicalIdOf(project ?? nodeId),
  project_id: project ?? null,
})

const MAX_ADDRESSES = 64

/** Where this machine can be reached. */
function addresses(): string[] {
  const all = Object.values(os.networkInterfaces()).flatMap((of) => of ?? [])
  const outside = all.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
  return [...new Set(outside.map(({ address }) => address))].slice(0, MAX_ADDRESSES)
}
