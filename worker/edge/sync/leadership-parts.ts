import { type Known, NOTHING_KNOWN } from '#domain/leadership/known-terms.rules.ts'
import type { LockSettings } from '#domain/leadership/push-lock.rules.ts'
import type { NodeIdentity } from '#domain/leadership/role.rules.ts'
import type { ProtocolParts } from '#server/leadership/run-protocol.ts'
import type { Settings } from '../config/settings.ts'
import { readSyncState } from '../ledger/sync-state.ts'
import type { NodeContext } from './node-context.ts'

/** What the leadership protocols are told of this node, and what they are performed with. */
export const identityOf = ({ nodeId, canonicalId, settings }: NodeContext): NodeIdentity => ({
  nodeId,
  canonicalId,
  primaryNodeId: settings.PRIMARY_NODE_ID ?? null,
  leaseSeconds: settings.LEADERSHIP_LEASE_SECONDS,
})

export const lockSettingsOf = (settings: Settings): LockSettings => ({
  ttlSeconds: settings.LOCK_TTL_SECONDS,
  graceSeconds: settings.STALE_LOCK_GRACE_SECONDS,
})

export const partsOf = ({ store, canonicalId, nodeId, say, stopped }: NodeContext): ProtocolParts => ({
  store,
  canonicalId,
  actor: nodeId,
  warn: (line) => say(`WARNING: ${line}`),
  stopped,
})

/** The terms this node has seen. A state that cannot be read knows nothing, which never lowers a term: lease and pointer know theirs. */
export async function knownTerms({ host, canonicalId }: NodeContext): Promise<Known> {
  const read = await readSyncState(host, canonicalId)
  if (read.state !== 'read') return NOTHING_KNOWN
  const { epoch, term, holder } = read.value
  return { epoch: epoch ?? 0, term, holder: holder ?? null }
}
