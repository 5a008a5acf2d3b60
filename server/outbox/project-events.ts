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
 * A fault of one object that no repeat mends sets the objects of that one thing aside, and the others go on ([outbox#faults]).
 */
import sql from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { columns } from '#server/ledger/rows.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import { ObjectConflict, type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import {
  type Family,
  familyName,
  isLasting,
  jsonObject,
  ProjectionConflict,
  recordFault,
  setAside,
} from './projection-fault.ts'

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

/** One piece of work, and whose objects it writes. */
type Task = Family & { silent?: boolean; write(): Promise<void> }

/** Writes the objects of these events; throws when the store does not answer, and then nothing counts as done. */
export async function projectEvents(parts: ProjectorParts, events: SealedEvent[]): Promise<void> {
  const aside = await setAside(parts.db, events.flatMap(familiesOf))
  const work = async (tasks: Task[]) => {
    const open = tasks.filter((task) => !aside.has(familyName(task)))
    await runConcurrently(open.map((task) => () => writeOrSetAside(parts.db, task, aside)))
  }
  await work(events.flatMap((e) => objectsOf(parts, e)))
  await work(runsOf(parts, events))
}

/** Writes everything of one family once more; throws what still stands in the way. */
export async function projectFamily(
  parts: ProjectorParts,
  events: SealedEvent[],
  family: Family,
): Promise<void> {
  const tasks = [...events.flatMap((e) => objectsOf(parts, e)), ...runsOf(parts, events)]
  const name = familyName(family)
  await runConcurrently(tasks.filter((task) => familyName(task) === name).map((task) => () => task.write()))
}

async function writeOrSetAside(db: Services['db'], task: Task, aside: Set<string>): Promise<void> {
  try {
    await task.write()
  } catch (error) {
    if (!isLasting(error)) throw error
    aside.add(familyName(task))
    await recordFault(db, task, error)
  }
}

function objectsOf({ db, store }: ProjectorParts, e: SealedEvent): Task[] {
  // A fault of the object of a fault must not make further events, or a blocked folder would never end.
  const audit = { resource_type: 'audit', resource_id: e.event_id, silent: e.resource_type === 'projection' }
  const tasks: Task[] = [{ ...audit, write: () => put(store, auditKey(e), e.body, exactly(e.body)) }]
  const { resource_type, resource_id } = e
  const add = (write: () => Promise<void>) => tasks.push({ resource_type, resource_id, write })
  if (e.outcome !== 'ok') return tasks
  if (e.resource_type === 'inbox') add(() => projectInbox({ db, store }, e))
  if (e.resource_type === 'proposal') add(() => projectProposal({ db, store }, e))
  if (e.name === 'artifact.created') add(() => projectArtifact({ db, store }, e))
  return tasks
}

function runsOf({ projectRun }: ProjectorParts, events: SealedEvent[]): Task[] {
  const ids = new Set(events.flatMap((e) => (e.resource_type === 'run' ? [e.resource_id] : [])))
  return [...ids].map((id) => ({ resource_type: 'run', resource_id: id, write: () => projectRun(id) }))
}

const familiesOf = (e: SealedEvent): Family[] => [
  { resource_type: 'audit', resource_id: e.event_id },
  { resource_type: e.resource_type, resource_id: e.resource_id },
]

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
      about('inbox_id', e.resource_id),
    )
  }
  const { rows } = await db.query(
    sql`SELECT ${columns('inbox_entry', 'i', ENTRY)} FROM inbox_entry i WHERE i.inbox_id = ${e.resource_id}`,
  )
  await put(
    store,
    `${folder}/${e.resource_id}.json`,
    JSON.stringify(rows[0]),
    about('inbox_id', e.resource_id),
  )
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
    about('proposal_id', id),
  )
}

async function projectProposal({ db, store }: Parts, e: SealedEvent): Promise<void> {
  if (e.name === 'proposal.created') await storeProposalBody({ db, store }, e.resource_id)
  await put(
    store,
    `proposals/${e.resource_id}/history/${String(e.seq).padStart(12, '0')}-${e.name.split('.')[1]}.json`,
    e.body,
    exactly(e.body),
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
    about('artifact_id', e.resource_id),
  )
}

type Standing = (object: Record<string, unknown> | null, text: string) => boolean

const exactly =
  (body: string): Standing =>
  (_, text) =>
    text === body
/** An earlier, equally true projection of the same thing, perhaps by another version of the product. */
const about =
  (name: string, id: string): Standing =>
  (object) =>
    object?.[name] === id

/** Create-only. What stands under the key already may stay when it is what `holds` asks; anything else is a conflict. */
async function put(store: ObjectStore, key: string, text: string, holds: Standing): Promise<void> {
  try {
    await store.create(key, new TextEncoder().encode(text), 'application/json')
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const there = await store.get(key)
    const standing = new TextDecoder().decode(there?.bytes)
    if (!there || !holds(jsonObject(there.bytes), standing)) {
      throw new ProjectionConflict(key, 'holds something else')
    }
  }
}

async function runConcurrently(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const queue = [...tasks]
  const worker = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await task()
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, tasks.length) }, worker))
}
