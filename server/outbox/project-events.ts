/**
 * The projector: writes the canonical objects that the ledger's events stand for ([outbox#objects]).
 *
 *   audit/<YYYYMMDD>/<event_id>.json              every event, the very bytes that the chain hashed
 *   inbox/<YYYY-MM>/<id>.json, ….outcome.json     the entry, and how it ended
 *   proposals/<id>.json, …/history/<seq>-<event>.json
 *   projects/<cid>/artifacts/<artifact_id>.json   the registry entry
 *   agents/<slug>/runs/<run_id>/…                 by the run's own projector
 *
 * Everything is create-only and made from immutable columns or from the event itself, so writing twice is harmless and the objects of a batch
 * are written concurrently. A store that does not answer stops the consumer where it is: nothing is skipped, the backlog shows in health.
 */
import sql from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { columns } from '#server/ledger/rows.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import { ObjectConflict, type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'

/** The name behind `<cid>`, the project's folder in the store. */
export const PROJECT = 'garden-bloom'
export const PROJECT_ID = sha256Hex(PROJECT).slice(0, 16)
const CONCURRENCY = 16

// What each object holds of its row, in this order.
const ENTRY = [
  'inbox_id',
  'source_type',
  'source_identity',
  'received_at',
  'action',
  'target',
  'payload',
  'correlation_id',
  'priority',
  'ttl_hours',
  'run_id',
] as const
const OUTCOME = ['status', 'resolution_kind', 'resolution_id', 'reason_code', 'reason'] as const
const BODY = [
  'proposal_id',
  'inbox_entry_id',
  'source_type',
  'source_identity',
  'run_id',
  'agent_slug',
  'agent_version',
  'tainted',
  'action',
  'target_type',
  'target_path',
  'summary',
  'reasoning',
  'changes',
  'citations',
  'entity_refs',
  'content_digest',
  'base_revision',
  'target_hash',
  'relations',
  'created_at',
] as const
const REGISTRY = [
  'artifact_id',
  'type',
  'job_id',
  'run_id',
  'created_at',
  'content_sha256',
  'object_key',
] as const

export type ProjectorParts = Pick<Services, 'db' | 'store'> & { projectRun(runId: string): Promise<void> }

/** Writes the objects of these events; throws when the store does not answer, and then nothing counts as done. */
export async function projectEvents(parts: ProjectorParts, events: SealedEvent[]): Promise<void> {
  const tasks = events.flatMap((e) => objectsOf(parts, e))
  await runConcurrently(tasks)
  const runs = new Set(events.flatMap((e) => (e.resource_type === 'run' ? [e.resource_id] : [])))
  await runConcurrently([...runs].map((id) => () => parts.projectRun(id)))
}

function objectsOf({ db, store }: ProjectorParts, e: SealedEvent): (() => Promise<void>)[] {
  const tasks = [() => put(store, auditKey(e), e.body)]
  if (e.outcome !== 'ok') return tasks
  if (e.resource_type === 'inbox') tasks.push(() => projectInbox({ db, store }, e))
  if (e.resource_type === 'proposal') tasks.push(() => projectProposal({ db, store }, e))
  if (e.name === 'artifact.created') tasks.push(() => projectArtifact({ db, store }, e))
  return tasks
}

/** `audit/<YYYYMMDD>/<event_id>.json`, the day of `ts` in UTC. */
export const auditKey = (e: Pick<SealedEvent, 'ts' | 'event_id'>): string =>
  `audit/${e.ts.toISOString().slice(0, 10).replaceAll('-', '')}/${e.event_id}.json`

type Parts = Pick<Services, 'db' | 'store'>

async function projectInbox({ db, store }: Parts, e: SealedEvent): Promise<void> {
  const folder = `inbox/${e.resource_id.slice(6, 13)}`
  if (e.name !== 'inbox.received') {
    const { rows } = await db.query(
      sql`SELECT ${columns('inbox_entry', 'i', OUTCOME)} FROM inbox_entry i WHERE i.inbox_id = ${e.resource_id}`,
    )
    return put(
      store,
      `${folder}/${e.resource_id}.outcome.json`,
      JSON.stringify({ inbox_id: e.resource_id, event_id: e.event_id, ...rows[0] }),
    )
  }
  const { rows } = await db.query(
    sql`SELECT ${columns('inbox_entry', 'i', ENTRY)} FROM inbox_entry i WHERE i.inbox_id = ${e.resource_id}`,
  )
  await put(store, `${folder}/${e.resource_id}.json`, JSON.stringify(rows[0]))
}

/** The body of a proposal as it was proposed, create-only; step 03 of a run writes it too, before it ends ([outbox#objects]). */
export async function storeProposalBody({ db, store }: Parts, id: string): Promise<void> {
  const { rows } = await db.query(
    sql`SELECT ${columns('proposal', 'p', BODY)} FROM proposal p WHERE p.proposal_id = ${id}`,
  )
  await put(
    store,
    `proposals/${id}.json`,
    JSON.stringify({ ...rows[0], status: proposalMachine.events.create.to }),
  )
}

async function projectProposal({ db, store }: Parts, e: SealedEvent): Promise<void> {
  if (e.name === 'proposal.created') await storeProposalBody({ db, store }, e.resource_id)
  await put(
    store,
    `proposals/${e.resource_id}/history/${String(e.seq).padStart(12, '0')}-${e.name.split('.')[1]}.json`,
    e.body,
  )
}

async function projectArtifact({ db, store }: Parts, e: SealedEvent): Promise<void> {
  const { rows } = await db.query(
    sql`SELECT ${columns('artifact', 'a', REGISTRY)} FROM artifact a WHERE a.artifact_id = ${e.resource_id}`,
  )
  await put(
    store,
    `projects/${PROJECT_ID}/artifacts/${e.resource_id}.json`,
    JSON.stringify({ ...rows[0], url: `/api/v1/artifacts/${e.resource_id}` }),
  )
}

/** Create-only. Other content under the key was put there by an earlier, equally true projection and stays. */
async function put(store: ObjectStore, key: string, text: string): Promise<void> {
  try {
    await store.create(key, new TextEncoder().encode(text), 'application/json')
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
  }
}

async function runConcurrently(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const queue = [...tasks]
  const worker = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await task()
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, tasks.length) }, worker))
}
