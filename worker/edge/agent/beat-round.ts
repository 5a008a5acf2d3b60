import os from 'node:os'
import type { NodeLeadership } from '#contracts/node-agent.contract.ts'
import { reasonOf } from '../fault.ts'
import type { Host } from '../host.ts'
import { canonicalIdOf } from '../identity.ts'
import { type RegisteredProject, readProjects } from '../ledger/project-registry.ts'
import { readSyncState } from '../ledger/sync-state.ts'
import { VERSION } from '../version.ts'
import { type Beat, type BeatOutcome, type BeatTarget, sendBeat } from './send-beat.ts'

/** One round of heartbeats: one for each project of the registry, or one under the id of the node's own name when there is none [edge#heartbeats]. */
export type BeatSource = {
  host: Host
  nodeId: string
  leadershipEnabled: boolean
  registry: string
  countObservations: () => number | null
}

/** What the control plane answered last, by canonical id. */
export type LastAnswers = Map<string, NodeLeadership>

/** What did not arrive in a round. */
export type Missed = { canonicalId: string | null; why: string; status: number | null }

export async function beatRound(
  source: BeatSource,
  { target, lastAnswers, stopped }: { target: BeatTarget; lastAnswers: LastAnswers; stopped: AbortSignal },
): Promise<Missed[]> {
  const missed: Missed[] = []
  let beats: Beat[]
  try {
    beats = await beatsOf(source)
  } catch (error) {
    return [{ canonicalId: null, why: reasonOf(error), status: null }]
  }
  for (const beat of beats) {
    const outcome = await sendBeat(target, beat, stopped)
    if (outcome.kind === 'answered') lastAnswers.set(beat.canonical_id, leadershipOf(outcome.answer))
    else missed.push(missedOf(beat, outcome))
    // Nobody is there, or nobody knows this key: the other projects would not get through either.
    if (outcome.kind === 'no answer' || (outcome.kind === 'refused' && outcome.status === 401)) break
  }
  return missed
}

async function beatsOf(source: BeatSource): Promise<Beat[]> {
  const { host, nodeId, registry, leadershipEnabled } = source
  const { projects } = await readProjects(registry)
  const common = {
    node_id: nodeId,
    obs_count: source.countObservations(),
    ip_addrs: addresses(),
    agent_version: VERSION,
    last_seen: Date.now() / 1000,
    leadership_enabled: leadershipEnabled,
  }
  const announced: Pick<RegisteredProject, 'canonical_id' | 'project_id'>[] = projects
  const ids = announced.map(({ canonical_id, project_id }) => ({ canonical_id, project_id }))
  const own = { canonical_id: canonicalIdOf(nodeId), project_id: null }
  return Promise.all(
    (ids.length > 0 ? ids : [own]).map(async (project) => ({
      ...common,
      ...project,
      db_sha: await lastSynced(host, project.canonical_id),
    })),
  )
}

/** SHA-256 of the snapshot that was pushed or pulled last; null while nobody knows. */
async function lastSynced(host: Host, canonicalId: string): Promise<string | null> {
  const read = await readSyncState(host, canonicalId).catch(() => null)
  return read?.state === 'read' ? read.value.last_synced_sha : null
}

const MAX_ADDRESSES = 64

/** Where this machine can be reached. */
function addresses(): string[] {
  const all = Object.values(os.networkInterfaces()).flatMap((of) => of ?? [])
  const outside = all.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
  return [...new Set(outside.map(({ address }) => address))].slice(0, MAX_ADDRESSES)
}

const leadershipOf = ({ role, lease_state, epoch, term }: AnswerOf): NodeLeadership => ({
  role,
  lease_state: lease_state ?? 'unknown',
  epoch: epoch ?? null,
  term: term ?? null,
  received_at: Date.now() / 1000,
})
type AnswerOf = Extract<BeatOutcome, { kind: 'answered' }>['answer']

const missedOf = (beat: Beat, outcome: Exclude<BeatOutcome, { kind: 'answered' }>): Missed => ({
  canonicalId: beat.canonical_id,
  why: outcome.why,
  status: outcome.kind === 'refused' ? outcome.status : null,
})
