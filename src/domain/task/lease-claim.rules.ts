/**
 * Whether a heartbeat or a completion may count for a task: who holds its lease now, and what the caller can show of it [runtime#claims].
 *
 * A node that was passed over must change nothing, however late it comes. Nodes that know no leases name none; theirs counts only while it
 * cannot be a late one.
 */

/** What the caller shows: a lease, by its token or by id and fence, or nothing but the address that it called from. */
export type Claim = { kind: 'lease'; leaseId: string; fence: number } | { kind: 'none'; address: string }

/** The active lease of the task, with the addresses that its worker registered. */
export type Holding = { leaseId: string; fence: number; workerId: string; addresses: readonly string[] }

export type ClaimContext = {
  /** null where nobody holds the task. */
  holding: Holding | null
  /** The workers of the task's earlier leases, one for each lease. */
  earlierWorkers: readonly string[]
  /** The setting that refuses whoever names no lease. */
  leaseRequired: boolean
}

export function claimHolds(claim: Claim, { holding, earlierWorkers, leaseRequired }: ClaimContext): boolean {
  if (!holding) return false
  if (claim.kind === 'lease') return claim.leaseId === holding.leaseId && claim.fence === holding.fence
  if (leaseRequired) return false
  if (earlierWorkers.length === 0) return true
  return holding.addresses.includes(claim.address) && !earlierWorkers.includes(holding.workerId)
}
