/** `/jobs` over its two kinds [control-plane#endpoints]: Jobs and syncs of nodes, each read along its own index, and merged. */
import { type JobItem, type JobItemsInput, jobItem } from '#contracts/control-plane.contract.ts'
import type { SyncView } from '#contracts/membridge.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { type SyncState, syncMachine } from '#domain/membridge/sync.machine.ts'
import { findJobItem, listJobItems } from '#server/jobs/job-items.query.ts'
import { getSync, listSyncs } from '#server/membridge/list-syncs.query.ts'
import type { Services } from '#server/services.ts'

type Parts = Pick<Services, 'db'>

/** Newest first. A filter that only one kind can meet asks that kind alone. */
export async function listItems(parts: Parts, asked: JobItemsInput, caller: Caller): Promise<JobItem[]> {
  const [jobs, syncs] = await Promise.all([listJobItems(parts, asked, caller), syncItems(parts, asked)])
  const items = [...jobs, ...syncs].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
  return items.slice(0, asked.limit)
}

/** A Job or a sync, or null. */
export async function findItem(parts: Parts, id: string, caller: Caller): Promise<JobItem | null> {
  const job = await findJobItem(parts, id, caller)
  if (job) return job
  const sync = await getSync(parts, { id: id.toLowerCase() })
  return sync.ok ? syncItem(sync.value) : null
}

async function syncItems(parts: Parts, { status, kind, project, limit }: JobItemsInput): Promise<JobItem[]> {
  if (kind === 'job' || (status !== undefined && !isSyncState(status))) return []
  const { items } = await listSyncs(parts, { status, project, limit })
  return items.map(syncItem)
}

const STATES: readonly string[] = syncMachine.states
const isSyncState = (status: string): status is SyncState => STATES.includes(status)

/** Every key of an item, null. */
const FOREIGN = Object.fromEntries(Object.keys(jobItem.shape).map((key) => [key, null])) as Record<
  keyof JobItem,
  null
>
const syncItem = (sync: SyncView): JobItem => ({ ...FOREIGN, ...sync })
