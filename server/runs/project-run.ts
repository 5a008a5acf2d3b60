/**
 * Projects a run from its ledger rows into the object store, below `agents/<slug>/runs/<run_id>/` ([runs#objects]).
 *
 * Order: the objects of finished steps and `output/proposal.json`, then the manifest, then `status.json`. So `status.json` never claims
 * what is not stored, and it is written last: once it shows a final state nobody writes below the folder again. Everything but
 * `status.json` is create-only; `status.json` changes by compare-and-set and only to a higher revision. Any number of processes may
 * project the same run at once.
 *
 * Failure modes: `StorageUnavailable` (try later, the ledger keeps what is to be written); `StepConflict` when the store holds another
 * output of the same step; `ProjectionConflict` for another foreign object, and for one of the replayed run that is gone for good. A
 * conflict fails a run that still goes on, instead of guessing.
 */
import { isFinal } from '#domain/run/run.rules.ts'
import { STEPS } from '#domain/run/step.machine.ts'
import { jsonObject, ProjectionConflict } from '#server/outbox/projection-fault.ts'
import { ObjectConflict, type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { runFolder } from './run-ids.ts'
import { canonicalJson, manifestReady, proposalObject, statusObject, stepObject } from './run-objects.ts'
import { type CallRow, type RunRow, readCalls, readRun, readSteps, type StepRow } from './run-row.ts'

/** The store holds another output of this step. */
class StepConflict extends ProjectionConflict {
  constructor(key: string) {
    super(key, 'holds another output')
    this.name = 'StepConflict'
  }
}

type Parts = Pick<Services, 'db' | 'store'>

const MAX_ATTEMPTS = 20
/** The step that calls tools. */
const JOURNALLED = 2
/** Canonical JSON (RFC 8785), so that a digest of the value is the digest of the stored bytes. */
const bytesOf = (value: unknown) => new TextEncoder().encode(canonicalJson(value))
export const parseObject = (bytes: Uint8Array) =>
  JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>

/** Key of a step's object. */
export const stepKey = (slug: string, runId: string, step: number): string =>
  `${runFolder(slug, runId)}/${STEPS.find((s) => s.n === step)?.object}`

/** Writes the run's missing objects; a run that does not exist, or is stored as final already, is left alone. */
export async function projectRun(parts: Parts, runId: string): Promise<void> {
  const run = await readRun(parts.db, runId)
  if (!run) return
  const steps = await readSteps(parts.db, runId)
  if (!(await statusIn(parts.store, run)).behind) return
  await projectRows(parts, { run, steps, calls: await readCalls(parts.db, runId) })
}

/** Projects the run now if the store answers; otherwise the outbox does it later. */
export async function projectLater(parts: Parts & Pick<Services, 'log'>, runId: string): Promise<void> {
  await projectRun(parts, runId).catch((err) =>
    parts.log.warn({ run_id: runId, err }, 'the outbox will project the run later'),
  )
}

type Rows = { run: RunRow; steps: StepRow[]; calls: CallRow[] }

async function projectRows(parts: Parts, { run, steps, calls }: Rows): Promise<void> {
  const { store } = parts
  for (const step of steps)
    if (step.executed_by_run) await copyStep(parts, run, step)
    else if (step.finished_at)
      await putStep(store, run, stepObject(run, step, step.step === JOURNALLED ? calls : []))
  if (steps.some((s) => s.step === 3 && s.output)) {
    await putOnce(store, run, 'output/proposal.json', proposalObject(run, steps))
  }
  if (manifestReady(run)) await putOnce(store, run, 'manifest.json', run.totals.manifest)
  await putStatus(store, run, statusObject(run, steps))
}

/**
 * The object of a step that the run took over: the bytes of the run which executed it. Where they are missing that run is stored first,
 * since it may have ended while the store did not answer; if they are missing even then its folder is complete without them, and they
 * will never come.
 */
async function copyStep(parts: Parts, run: RunRow, step: StepRow): Promise<void> {
  const { store } = parts
  const executor = step.executed_by_run ?? run.run_id
  const from = stepKey(run.agent_slug, executor, step.step)
  const key = stepKey(run.agent_slug, run.run_id, step.step)
  let source = await store.get(from)
  if (!source) {
    await projectRun(parts, executor)
    source = await store.get(from)
  }
  if (!source) throw new ProjectionConflict(from, 'is gone')
  if (jsonObject(source.bytes)?.output_digest !== step.output_digest) throw new StepConflict(from)
  try {
    await store.create(key, source.bytes, 'application/json')
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const there = await store.get(key)
    if (!there || sha256Hex(there.bytes) !== sha256Hex(source.bytes)) throw new StepConflict(key)
  }
}

async function putStep(store: ObjectStore, run: RunRow, step: ReturnType<typeof stepObject>): Promise<void> {
  const key = stepKey(run.agent_slug, run.run_id, Number(step.step))
  try {
    await store.create(key, bytesOf(step), 'application/json')
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const there = await store.get(key)
    const digest = there ? jsonObject(there.bytes)?.output_digest : undefined
    if (digest !== step.output_digest) throw new StepConflict(key)
  }
}

async function putOnce(store: ObjectStore, run: RunRow, name: string, value: unknown): Promise<void> {
  const key = `${runFolder(run.agent_slug, run.run_id)}/${name}`
  try {
    await store.create(key, bytesOf(value), 'application/json')
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const there = await store.get(key)
    if (!there || jsonObject(there.bytes)?.run_id !== run.run_id) {
      throw new ProjectionConflict(key, 'is not the object of this run')
    }
  }
}

/** The etag of `status.json` in the store, and whether it is behind the row. */
async function statusIn(store: ObjectStore, run: RunRow): Promise<{ etag: string | null; behind: boolean }> {
  const key = `${runFolder(run.agent_slug, run.run_id)}/status.json`
  const there = await store.get(key)
  if (!there) return { etag: null, behind: true }
  const object = jsonObject(there.bytes)
  if (object?.run_id !== run.run_id) throw new ProjectionConflict(key, 'is not the status of this run')
  const { revision, status } = object
  const final = isFinal(status as RunRow['status'])
  return { etag: there.etag, behind: !final && Number(revision) < run.revision }
}

/** Moves `status.json` forward, never back; false when the store is up to date. */
export async function putStatus(
  store: ObjectStore,
  run: RunRow,
  value: Record<string, unknown>,
): Promise<boolean> {
  const key = `${runFolder(run.agent_slug, run.run_id)}/status.json`
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const { etag, behind } = await statusIn(store, run)
    if (!behind) return false
    try {
      await store.replace(key, bytesOf(value), etag, 'application/json')
      return true
    } catch (error) {
      if (!(error instanceof ObjectConflict)) throw error
    }
  }
  throw new ObjectConflict(key, `${key} is written by too many at once`)
}
