/** A run's objects, read from the store, which is the authority for them. */
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { parseObject, stepKey } from './project-run.ts'
import { runFolder } from './run-ids.ts'
import { readRun } from './run-row.ts'

export type StoredJson = { value: Record<string, unknown>; etag: string }

/**
 * `status.json`, or the object of a step; 404 when it is not stored yet. While the store does not answer it throws 503 and invents no
 * state.
 */
export async function getRunObject(
  { db, store }: Pick<Services, 'db' | 'store'>,
  { run_id, object }: { run_id: string; object: 'status' | number },
): Promise<Result<StoredJson>> {
  const run = await readRun(db, run_id)
  if (!run) return refuse({ code: 'NOT_FOUND', message: 'There is no such run.' })
  const { agent_slug: slug } = run
  const stored = await store.get(
    object === 'status' ? `${runFolder(slug, run_id)}/status.json` : stepKey(slug, run_id, object),
  )
  if (!stored) return refuse({ code: 'NOT_FOUND', message: 'The object is not stored yet.' })
  return ok({ value: parseObject(stored.bytes), etag: stored.etag })
}
