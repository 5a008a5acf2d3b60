import { fieldOf, isCount } from './json-fields.ts'
import type { Known } from './known-terms.rules.ts'
import type { LeaseState } from './leadership-lease.machine.ts'
import type { LeaseLook } from './lease-object.ts'
import type { Pointer } from './pointer-object.ts'

/**
 * The control plane's memory of a lease ([membridge#mirror]): a cache. What remained of the lease when it was read runs out by the clock of whoever
 * keeps the memory; a renewal is seen with the next look.
 */
export type NodeRole = 'primary' | 'secondary' | 'unknown'
export type RememberedLease = {
  /** `null` before the first look. */
  state: LeaseState | null
  holder: string | null
  /** What is left of it now, in seconds; `null` where there is no lease that can be read. */
  remaining: number | null
}

/** How the lease stands now. One that was never looked at is not known. */
export function stateNow({ state, remaining }: RememberedLease): LeaseState {
  if (state === null) return 'unreadable'
  if (state !== 'valid') return state
  return remaining !== null && remaining > 0 ? 'valid' : 'expired'
}

/** The role of a node: an expired lease makes every node secondary; what is not known, or does not concern a node with leadership off, none. */
export function roleOfNode(
  lease: RememberedLease,
  node: { nodeId: string; leadershipEnabled: boolean },
): NodeRole {
  const state = stateNow(lease)
  if (!node.leadershipEnabled || state === 'absent' || state === 'unreadable') return 'unknown'
  return state === 'valid' && lease.holder === node.nodeId ? 'primary' : 'secondary'
}

/** The highest that was ever seen, this look included. The first holder that a term was seen with stays its holder. */
export function learned(known: Known, look: LeaseLook): Known {
  if (look.state !== 'valid' && look.state !== 'expired') return known
  const { epoch, term, primary_node_id: holder } = look.lease
  const highest = Math.max(known.epoch, epoch)
  if (term === null || term < known.term) return { ...known, epoch: highest }
  if (term > known.term) return { epoch: highest, term, holder }
  return { ...known, epoch: highest, holder: known.holder ?? holder }
}

/** When the snapshot of a pointer was pushed, in epoch seconds: nodes write a number, or a text with or without its zone, which is UTC. */
export function pushedAt({ sha256, fields }: Pointer): number | null {
  const timestamp = fieldOf(fields, 'timestamp')
  if (sha256 === null) return null
  if (typeof timestamp === 'number') return Number.isFinite(timestamp) ? timestamp : null
  if (typeof timestamp !== 'string') return null
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(timestamp) ? timestamp : `${timestamp}Z`
  const at = Date.parse(zoned.replace(' ', 'T'))
  return Number.isNaN(at) ? null : at / 1000
}

/** The size of the snapshot in bytes, where the pointer says it. */
export function sizeOf({ sha256, fields }: Pointer): number | null {
  const size = fieldOf(fields, 'db_size')
  return sha256 !== null && isCount(size) ? (size as number) : null
}
