import type { ObjectStore } from '#server/ports/object-store.ts'
import { verdictOf } from '#server/ports/probe-verdict.ts'
import { EdgeFault } from '../fault.ts'

/**
 * Refuses a store that does not keep conditional writes, or of which that cannot be found out, in the sentence that the console uses, too
 * [edge#store-probe]. To be asked before the first write: it writes keys of its own alone.
 */
export async function refuseUnfitStore(store: Pick<ObjectStore, 'probe'>): Promise<void> {
  const { verdict, refusal } = verdictOf(await store.probe())
  if (refusal === null) return
  const next =
    verdict === 'unfit'
      ? 'Set MINIO_ENDPOINT to a store that does'
      : 'Check MINIO_ENDPOINT, MINIO_BUCKET and the keys with: membridge doctor'
  throw new EdgeFault(`${refusal} Nothing was written. ${next}.`)
}
