/** Reads of a run's objects from the store, which is the authority (contract page 03, section 9). */
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { parseObject, stepKey } from './project-run.ts'
import { runFolder } from './run-ids.ts'
import { readRun } from './run-row.ts'

type Parts = Pick<Services, 'db' | 'store'>
export type StoredJson = { value: Record<string, unknown>; etag: string }

/** `status.json`; 404 when there is none. While the store does not answer it throws 503 and invents no state. */
export const runStatus = (parts: Parts, runId: string): Promise<Result<StoredJson>> =>
  readObject(parts, runId, (slug) => `${runFolder(slug, runId)}/status.json`)

/** The whole object of one step. */
export const runStepObject = (parts: Parts, runId: string, step: number): Promise<Result<StoredJson>> =>
  readObject(parts, runId, (slug) => stepKey(slug, runId, step))

/** `manifest.json`, once the run has one. */
export const runManifest = (parts: Parts, runId: string): Promise<Result<StoredJson>> =>
  readObject(parts, runId, (slug) => `${runFolder(slug, runId)}/manifest.json`)

async function readObject(
  { db, store }: Parts,
  runId: string,
  keyOf: (slug: string) => string,
): Promise<Result<StoredJson>> {
  const run = await readRun(db, runId)
  if (!run) return refuse({ code: 'NOT_FOUND', message: 'There is no such run.' })
  const object = await store.get(keyOf(run.agent_slug))
  if (!object) return refuse({ code: 'NOT_FOUND', message: 'The object is not stored yet.' })
  return ok({ value: parseObject(object.bytes), etag: object.etag })
}
