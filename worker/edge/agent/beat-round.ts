import type { NodeLeadership } from '#contracts/node-agent.contract.ts'
import { reasonOf } from '../fault.ts'
import type { Host } from '../host.ts'
import { readProjects } from '../ledger/project-registry.ts'
import { readSyncState } from '../ledger/sync-state.ts'
import { type BeatingNode, type BeatProject, nodeBeat, unregistered } from './node-beat.ts'
import { type Beat, type BeatOutcome, type BeatTarget, sendBeat } from './send-beat.ts'

/** One round of heartbeats: one for each project of the registry, or one for the project of the settings, else under the id of the node's own name [edge#heartbeats]. */
export type BeatSource = BeatingNode & {
  host: Host
  /** The project that the settings name. */
  project: string | undefined
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
  const { projects } = await readProjects(source.registry)
  const obs_count = source.countObservations()
  const announced: BeatProject[] =
    projects.length > 0 ? projects : [unregistered(source.nodeId, source.project)]
  return Promise.all(
    announced.map(async ({ canonical_id, project_id }) =>
      nodeBeat(
        source,
        { canonical_id, project_id },
        { obs_count, db_sha: await lastSynced(source.host, canonical_id) },
      ),
    ),
  )
}

/** SHA-256 of the snapshot that was pushed or pulled last; null while nobody knows. */
async function lastSynced(host: Host, canonicalId: string): Promise<string | null> {
  const read = await readSyncState(host, canonicalId).catch(() => null)
  return read?.state === 'read' ? read.value.last_synced_sha : null
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
