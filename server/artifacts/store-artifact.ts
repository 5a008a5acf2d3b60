import type { Services } from '#server/composition/services.ts'
import { getVerified, StorageUnavailable } from '#server/ports/object-store.ts'
import type { PreparedArtifact } from './artifact-document.ts'

/**
 * Steps 1 and 2 of the write (page 11, A1): the object under its content address, create-only, then read back and hashed. Without a row
 * it is garbage that harms nobody. Throws `StorageUnavailable` when the store does not answer for it, also by a lie.
 */
export async function storeArtifact(
  { store }: Pick<Services, 'store'>,
  artifact: Pick<PreparedArtifact, 'object_key' | 'bytes' | 'sha256'>,
): Promise<void> {
  await store.create(artifact.object_key, artifact.bytes, 'application/json')
  const back = await getVerified(store, artifact.object_key, artifact.sha256)
  if (!back) throw new StorageUnavailable('the object store does not hold what it took')
}
