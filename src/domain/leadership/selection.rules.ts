import { fellBehind, type Known, nextEpoch, nextTerm, termOf } from './known-terms.rules.ts'
import type { LeaseWriteEvent } from './leadership-lease.machine.ts'
import { type Lease, type LeaseLook, nextLease } from './lease-object.ts'
import type { LockLook } from './lock-object.ts'
import { type LockSettings, standingOfLock } from './push-lock.rules.ts'

/**
 * Selection of a primary by a person ([leadership#selection]): what is checked before the lease is written, and the lease that follows.
 */
export type Selection = {
  canonicalId: string
  primaryNodeId: string
  leaseSeconds: number
  /** Who writes it: `control-plane`, as nodes of today expect. */
  issuedBy: string
  /** What the person was shown; `null` where nothing was. */
  expectedEpoch: number | null
  force: boolean
  reason: string | null
}

export type SelectionRefusal =
  /** `unread`: another lease was written, and what stands now could not be read. */
  | { code: 'EPOCH_STALE'; winner: Lease | null | 'unread' }
  | { code: 'PUSH_IN_FLIGHT'; holder: string | null; ageSeconds: number }
  | { code: 'LEASE_UNKNOWN'; reason: string }

export type SelectionDecision =
  | { next: 'write'; event: LeaseWriteEvent; lease: Lease; ifMatch: string | null }
  | ({ next: 'refuse' } & SelectionRefusal)

export type SelectionQuestion = {
  selection: Selection
  look: LeaseLook
  lock: LockLook
  lockSettings: LockSettings
  known: Known
  nonce: string
}

/** The lease that the selection writes, or why it does not. */
export function decideSelection(question: SelectionQuestion): SelectionDecision {
  const { look, selection } = question
  if (look.state === 'unreadable') return overUnreadable(question, look)
  const lease = look.state === 'absent' ? null : look.lease
  const { expectedEpoch } = selection
  if (expectedEpoch !== null && expectedEpoch !== (lease?.epoch ?? 0))
    return { next: 'refuse', code: 'EPOCH_STALE', winner: lease }
  return (lease && pushInFlight(question, lease)) ?? writeOver(question, 'select', lease, look)
}

/** An object that is no lease may be replaced with `force`; a store that did not answer may not. */
function overUnreadable(
  question: SelectionQuestion,
  look: Extract<LeaseLook, { state: 'unreadable' }>,
): SelectionDecision {
  const { force, reason } = question.selection
  if (look.stored === null || !force || !reason)
    return { next: 'refuse', code: 'LEASE_UNKNOWN', reason: look.reason }
  return writeOver(question, 'force_select', null, look.stored)
}

/** A fresh lock of the primary that would lose its term. A lock that names no node is taken for the primary's. */
function pushInFlight(
  { selection, lock, lockSettings }: SelectionQuestion,
  lease: Lease,
): SelectionDecision | null {
  if (selection.force || selection.primaryNodeId === lease.primary_node_id) return null
  if (lock.state === 'unreadable') return { next: 'refuse', code: 'LEASE_UNKNOWN', reason: lock.reason }
  const standing = standingOfLock(lock, lockSettings)
  if (standing.state !== 'active') return null
  // A host name is no identity: a lock that names no node may be the primary's.
  const nodeId = (lock.state === 'present' && lock.lock?.node_id) || null
  if (nodeId !== null && nodeId !== lease.primary_node_id) return null
  return { next: 'refuse', code: 'PUSH_IN_FLIGHT', holder: standing.holder, ageSeconds: standing.ageSeconds }
}

function writeOver(
  { selection, known, nonce }: SelectionQuestion,
  event: LeaseWriteEvent,
  before: Lease | null,
  at: { etag?: string; storeNow: number },
): SelectionDecision {
  const isSameHolder = before?.primary_node_id === selection.primaryNodeId
  const lease = nextLease(before, {
    canonical_id: selection.canonicalId,
    primary_node_id: selection.primaryNodeId,
    issued_by: selection.issuedBy,
    storeNow: at.storeNow,
    lease_seconds: selection.leaseSeconds,
    epoch: nextEpoch(before, known),
    term: before !== null && isSameHolder ? keptTerm(before, known) : nextTerm(before, known),
    needs_ui_selection: false,
    nonce,
  })
  return { next: 'write', event, lease, ifMatch: at.etag ?? null }
}

/**
 * The same holder keeps its term, unless the lease fell behind what is known: then every push of it would be stale. Nor does it keep a term
 * that was seen with another holder: something wrote past the conditions, and of the two only one may go on pushing.
 */
function keptTerm(lease: Lease, known: Known): number {
  const term = termOf(lease, known)
  const isAnothers = known.term === term && known.holder !== null && known.holder !== lease.primary_node_id
  return fellBehind(lease, known) || isAnothers ? nextTerm(lease, known) : term
}

/**
 * Whose a lease is after a selection whose answer was lost: ours by the nonce, or by the nonce that began its term; not ours where the
 * term never came to be; otherwise open, since what was written may have been written over.
 */
export function selectionVerdict(look: LeaseLook, written: Lease): 'applied' | 'not_applied' | 'open' {
  if (look.state === 'absent') return 'not_applied'
  if (look.state === 'unreadable') return 'open'
  const { lease } = look
  if (lease.nonce === written.nonce) return 'applied'
  if (lease.epoch < written.epoch) return 'not_applied'
  if (lease.term_nonce !== null && lease.term_nonce === written.nonce) return 'applied'
  // Two leases of one epoch were written upon the same one, and only one of them was.
  if (lease.epoch === written.epoch) return 'not_applied'
  const beganOtherwise = written.term_nonce === written.nonce && lease.term === written.term
  return beganOtherwise && lease.term_nonce !== null ? 'not_applied' : 'open'
}
