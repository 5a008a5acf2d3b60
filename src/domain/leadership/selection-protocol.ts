import { compareAndSet } from './conditional-write.ts'
import { textOf } from './json-fields.ts'
import { highestKnown, type Known, knownFromPointer } from './known-terms.rules.ts'
import { type Lease, type LeaseLook, lookAtLease } from './lease-object.ts'
import { ensureFence } from './lease-protocol.ts'
import { type LockLook, lookAtLock } from './lock-object.ts'
import { lookAtPointer, type PointerLook } from './pointer-object.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import type { LockSettings } from './push-lock.rules.ts'
import {
  decideSelection,
  type Selection,
  type SelectionRefusal,
  selectionVerdict,
} from './selection.rules.ts'

/**
 * Selection of a primary in five steps ([leadership#selection]): read, refuse what would interrupt a push, write the lease, fence, record.
 * The lease is the decision: what is killed after it was written is finished by `finishSelection`, which every scan runs.
 */
export type SelectionOutcome =
  /** `fenced: false`: the lease stands, and the next scan writes the fence that could not be written now. */
  | { outcome: 'selected'; lease: Lease; fenced: boolean }
  | ({ outcome: 'refused' } & SelectionRefusal)
  /** It may have been written and written over since: the lease must be looked at before anybody is told. */
  | { outcome: 'unknown' }

/** Selects the primary that a person named. `mirror` is what the control plane has seen of epochs and terms. */
export function* selectPrimary(
  selection: Selection,
  lockSettings: LockSettings,
  mirror: Known,
): Protocol<SelectionOutcome> {
  const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
  const look = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
  const lock = lookAtLock(yield* perform({ effect: 'read', object: 'lock' }))
  if (pointer.state === 'unreadable')
    return { outcome: 'refused', code: 'LEASE_UNKNOWN', reason: `manifest.json: ${pointer.reason}` }
  const nonce = yield* perform({ effect: 'nonce' })
  const known = highestKnown(mirror, knownFromPointer(pointer))
  const decision = decideSelection({ selection, look, lock, lockSettings, known, nonce })
  if (decision.next === 'refuse') return { ...decision, outcome: 'refused' }
  const { lease, event, ifMatch } = decision
  const { outcome } = yield* compareAndSet({ object: 'lease', event, text: textOf(lease), ifMatch }, (read) =>
    selectionVerdict(lookAtLease(read), lease),
  )
  if (outcome === 'unknown') return { outcome: 'unknown' }
  if (outcome === 'lost') return { outcome: 'refused', code: 'EPOCH_STALE', winner: yield* winningLease() }
  const fenced = yield* ensureFence(lease, selection.canonicalId)
  yield* perform({ effect: 'audit', event: 'select', lease, reason: selection.reason })
  return { outcome: 'selected', lease, fenced }
}

function* winningLease(): Protocol<Lease | null | 'unread'> {
  const look = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
  if (look.state === 'unreadable') return 'unread'
  return look.state === 'absent' ? null : look.lease
}

function* currentLease(): Protocol<Lease | null> {
  const look = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
  return look.state === 'valid' || look.state === 'expired' ? look.lease : null
}

/**
 * Ends what a killed selection or takeover left: the fence of the lease's term, and the audit object of a lease that `issuedBy` wrote. True
 * when nothing is left to do.
 */
export function* finishSelection(canonicalId: string, issuedBy: string): Protocol<boolean> {
  const lease = yield* currentLease()
  if (lease === null || lease.term === null) return false
  if (!(yield* ensureFence(lease, canonicalId))) return false
  if (lease.issued_by === issuedBy) yield* perform({ effect: 'audit', event: 'select', lease, reason: null })
  return true
}

/**
 * Ends a selection whose lease is known though its process may be gone. `promoted`: lease, fence and audit object stand. `lost`: the lease is
 * another's, or was not written yet. `open`: the store leaves it undecided, or the fence could not be written. `unanswered`: it did not answer at all.
 */
export function* finishWritten(
  lease: Lease,
  canonicalId: string,
  reason: string | null,
): Protocol<'promoted' | 'lost' | 'open' | 'unanswered'> {
  const look = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
  if (look.state === 'unreadable' && look.stored === null) return 'unanswered'
  const verdict = selectionVerdict(look, lease)
  if (verdict !== 'applied') return verdict === 'not_applied' ? 'lost' : 'open'
  if (!(yield* ensureFence(lease, canonicalId))) return 'open'
  yield* perform({ effect: 'audit', event: 'select', lease, reason })
  return 'promoted'
}

/** The three objects as they stand. */
export type LeadershipLook = { pointer: PointerLook; lease: LeaseLook; lock: LockLook }

/**
 * Reads them in the order that [leadership#incidents] needs: whoever takes the term over writes lease before pointer. A store that does not
 * answer the first read is not asked for the rest.
 */
export function* lookAtLeadership(): Protocol<LeadershipLook> {
  const first = yield* perform({ effect: 'read', object: 'pointer' })
  const pointer = lookAtPointer(first)
  if (first.found === 'unknown') return { pointer, lease: lookAtLease(first), lock: lookAtLock(first) }
  const lease = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
  const lock = lookAtLock(yield* perform({ effect: 'read', object: 'lock' }))
  return { pointer, lease, lock }
}
