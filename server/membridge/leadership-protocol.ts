import type { Protocol } from '#domain/leadership/protocol-effects.ts'
import { type LeadershipLook, lookAtLeadership } from '#domain/leadership/selection-protocol.ts'
import { type ProtocolParts, runProtocol } from '#server/leadership/run-protocol.ts'
import type { Services } from '#server/services.ts'

/** Who writes leases and audit objects here, as nodes of today expect it. */
export const CONTROL_PLANE = 'control-plane'

type Parts = Pick<Services, 'store' | 'log'>
type Own = Partial<Pick<ProtocolParts, 'actor' | 'audit' | 'beforeWrite'>>

/** Runs a protocol of leadership over the store of these services; it is never asked to stop, so it ends. */
export async function runOnStore<T>(
  { store, log }: Parts,
  protocol: Protocol<T>,
  { cid, ...own }: Own & { cid: string },
): Promise<T> {
  const warn = (line: string) => log.warn({ canonical_id: cid }, line)
  const end = await runProtocol(protocol, { store, canonicalId: cid, actor: CONTROL_PLANE, warn, ...own })
  return end as T
}

/** Lease, pointer and lock as they stand in the store. */
export const readObjects = (services: Parts, cid: string): Promise<LeadershipLook> =>
  runOnStore(services, lookAtLeadership(), { cid })
