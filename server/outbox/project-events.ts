/**
 * The projector: writes the canonical objects that the ledger's events stand for ([outbox#objects]).
 *
 *   audit/<YYYYMMDD>/<event_id>.json              every event: the very bytes that the chain hashed, and its place there
 *   inbox/<YYYY-MM>/<id>.json, ….outcome.json     the entry, and how it ended
 *   proposals/<id>.json, …/history/<seq>-<event>.json
 *   projects/<cid>/artifacts/<artifact_id>.json   the registry entry
 *   jobs/<job_id>/<seq>-<state>.json              the job as it ended
 *   agents/<slug>/runs/<run_id>/…                 by the run's own projector
 *
 * Everything is create-only and made from immutable columns or from the event itself, so writing twice is harmless and the objects of a batch
 * are written concurrently. A store that does not answer stops the consumer where it is: nothing is skipped, the backlog shows in health.
 * A fault of one object that no repeat mends sets the objects of that one thing aside, and the others go on ([outbox#faults]).
 */
import type { SealedEvent } from '#server/ledger/seal.ts'
import type { Services } from '#server/services.ts'
import { auditKey, auditObject, sameEvent } from './audit-object.ts'
import { isEnd, projectArtifact, projectInbox, projectJob, projectProposal } from './project-bodies.ts'
import { type Family, familyName, isLasting, recordFault, setAside } from './projection-fault.ts'
import { putOnce } from './put-once.ts'

const CONCURRENCY = 16

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
  const tasks: Task[] = [{ ...audit, write: () => putOnce(store, auditKey(e), auditObject(e), sameEvent(e)) }]
  const { resource_type, resource_id } = e
  const add = (write: () => Promise<void>) => tasks.push({ resource_type, resource_id, write })
  if (e.outcome !== 'ok') return tasks
  if (e.resource_type === 'inbox') add(() => projectInbox({ db, store }, e))
  if (e.resource_type === 'proposal') add(() => projectProposal({ db, store }, e))
  if (e.resource_type === 'job' && isEnd(e)) add(() => projectJob({ db, store }, e))
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

async function runConcurrently(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const queue = [...tasks]
  const worker = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await task()
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, tasks.length) }, worker))
}
