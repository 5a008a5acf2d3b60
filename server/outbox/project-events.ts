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
 * are flushed together. A store that does not answer stops the consumer where it is: nothing is skipped, the backlog shows in health.
 * A fault of one object that no repeat mends sets the objects of that one thing aside, and the others go on ([outbox#faults]).
 */
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import type { Services } from '#server/services.ts'
import { auditKey, auditObject, sameEvent } from './audit-object.ts'
import { artifactObjects, entryObjects, jobObjects, proposalObjects } from './project-bodies.ts'
import { type Family, familyName, isLasting, recordFault, setAside } from './projection-fault.ts'
import { type OnceObject, putManyOnce } from './put-once.ts'
import { isEnd, readSubjects, type Subjects } from './read-subjects.ts'

/** Runs that are projected at a time. */
const RUNS_AT_ONCE = 16
/** Bodies of entries and proposals that are in memory at a time: they may be large, everything else is small. */
const LARGE_AT_ONCE = 16
const LARGE = ['inbox.received', 'proposal.created']

export type ProjectorParts = Pick<Services, 'db' | 'store'> & { projectRun(runId: string): Promise<void> }

/** What an event has to be written of one family. */
type Task = Family & { silent?: boolean; make(subjects: Subjects): OnceObject[] }
type Made = { task: Task; object: OnceObject }
/** What becomes of a fault that no repeat mends. */
type OnFault = (family: Family & { silent?: boolean }, error: Error) => Promise<void>

/** Writes the objects of these events; throws when the store does not answer, and then nothing counts as done. */
export async function projectEvents(parts: ProjectorParts, events: SealedEvent[]): Promise<void> {
  const aside = await setAside(parts.db, events.flatMap(familiesOf))
  const isOpen = (family: Family) => !aside.has(familyName(family))
  await project(parts, events, isOpen, async (family, error) => {
    aside.add(familyName(family))
    await recordFault(parts.db, family, error)
  })
}

/** Writes everything of one family once more; throws what still stands in the way. */
export async function projectFamily(
  parts: ProjectorParts,
  events: SealedEvent[],
  family: Family,
): Promise<void> {
  const name = familyName(family)
  const isOfIt = (one: Family) => familyName(one) === name
  await project(parts, events, isOfIt, (_, error) => Promise.reject(error))
}

async function project(
  { db, store, projectRun }: ProjectorParts,
  events: readonly SealedEvent[],
  isWanted: (family: Family) => boolean,
  onFault: OnFault,
): Promise<void> {
  for (const part of partsOf(events)) {
    const tasks = part.flatMap(tasksOf).filter(isWanted)
    const made = await makeObjects(tasks, await readSubjects(db, part), onFault)
    const conflicts = await putManyOnce(
      store,
      made.map(({ object }) => object),
    )
    for (const [n, { task }] of made.entries()) if (conflicts[n]) await onFault(task, conflicts[n])
  }
  await mapConcurrently(runsOf(events).filter(isWanted), RUNS_AT_ONCE, (run) =>
    projectRun(run.resource_id).catch((error) => onLasting(run, error, onFault)),
  )
}

async function makeObjects(tasks: readonly Task[], subjects: Subjects, onFault: OnFault): Promise<Made[]> {
  const made: Made[] = []
  for (const task of tasks) {
    try {
      for (const object of task.make(subjects)) made.push({ task, object })
    } catch (error) {
      await onLasting(task, error, onFault)
    }
  }
  return made
}

async function onLasting(family: Family, error: unknown, onFault: OnFault): Promise<void> {
  if (!isLasting(error)) throw error
  await onFault(family, error)
}

/** The events in parts, each with no more than a few that have large bodies. */
function partsOf(events: readonly SealedEvent[]): SealedEvent[][] {
  let large = 0
  const parts = Map.groupBy(events, ({ name }) =>
    Math.floor((LARGE.includes(name) ? large++ : large) / LARGE_AT_ONCE),
  )
  return [...parts.values()]
}

function tasksOf(e: SealedEvent): Task[] {
  // A fault of the object of a fault must not make further events, or a blocked folder would never end.
  const audit = { resource_type: 'audit', resource_id: e.event_id, silent: e.resource_type === 'projection' }
  const tasks: Task[] = [
    { ...audit, make: () => [{ key: auditKey(e), text: auditObject(e), holds: sameEvent(e) }] },
  ]
  const { resource_type, resource_id } = e
  const add = (bodies: (e: SealedEvent, subjects: Subjects) => OnceObject[]) =>
    tasks.push({ resource_type, resource_id, make: (subjects) => bodies(e, subjects) })
  if (e.outcome !== 'ok') return tasks
  if (e.resource_type === 'inbox') add(entryObjects)
  if (e.resource_type === 'proposal') add(proposalObjects)
  if (isEnd(e)) add(jobObjects)
  if (e.name === 'artifact.created') add(artifactObjects)
  return tasks
}

function runsOf(events: readonly SealedEvent[]): Family[] {
  const ids = new Set(events.flatMap((e) => (e.resource_type === 'run' ? [e.resource_id] : [])))
  return [...ids].map((id) => ({ resource_type: 'run', resource_id: id }))
}

const familiesOf = (e: SealedEvent): Family[] => [
  { resource_type: 'audit', resource_id: e.event_id },
  { resource_type: e.resource_type, resource_id: e.resource_id },
]
