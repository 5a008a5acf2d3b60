import type { KeptHistory } from '#contracts/leadership-console.contract.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import type { Services } from '#server/services.ts'

/** At most so many snapshots are measured, so many at a time: each is one call to the store. */
const MEASURED_MAX = 400
const AT_ONCE = 8

/** How many bytes of snapshots a project keeps, which nothing deletes; at least so many where there are more snapshots than are measured. */
export async function measureHistory(
  { store }: Pick<Services, 'store'>,
  { cid }: { cid: string },
): Promise<KeptHistory> {
  // Each snapshot has its digest beside it.
  const { keys, next } = await store.list(projectKeys(cid).snapshots, { limit: MEASURED_MAX * 2 })
  const snapshots = keys.filter((key) => key.endsWith('.db'))
  let bytes = 0
  for (let from = 0; from < snapshots.length; from += AT_ONCE) {
    const heads = await Promise.all(snapshots.slice(from, from + AT_ONCE).map((key) => store.head(key)))
    bytes += heads.reduce((sum, head) => sum + (head?.size ?? 0), 0)
  }
  return { bytes, snapshots: snapshots.length, complete: next === null }
}
