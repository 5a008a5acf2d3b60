import type { Known } from './known-terms.rules.ts'
import type { LeaseLook } from './lease-object.ts'
import type { PointerLook } from './pointer-object.ts'

/**
 * What cannot come from conditional writes ([leadership#incidents]): a node that does not know the conditions wrote past them, or somebody
 * edited an object. `mirror` is what the control plane last saw of the lease.
 */
export type Incident =
  | { kind: 'lease_vanished' }
  | { kind: 'epoch_regression'; from: number; to: number }
  | { kind: 'term_regression'; from: number; to: number }
  /** A lease without a term where one was known: our own writes always carry it. */
  | { kind: 'term_dropped'; from: number }
  | { kind: 'holder_changed'; from: string; to: string }
  | { kind: 'two_holders'; term: number; holders: readonly [string, string] }
  | { kind: 'pointer_above_lease'; pointer: number; lease: number }

/** Every incident that this look shows; an object that cannot be read shows none. */
export function incidentsOf(mirror: Known, look: LeaseLook, pointer: PointerLook): Incident[] {
  if (look.state === 'absent') return mirror.epoch > 0 ? [{ kind: 'lease_vanished' }] : []
  if (look.state === 'unreadable') return []
  const { epoch, term, primary_node_id: holder } = look.lease
  const found: Incident[] = []
  if (epoch < mirror.epoch) found.push({ kind: 'epoch_regression', from: mirror.epoch, to: epoch })
  if (term === null) return [...found, ...withoutTerm(mirror, holder)]
  if (term < mirror.term) found.push({ kind: 'term_regression', from: mirror.term, to: term })
  if (term === mirror.term && mirror.holder !== null && mirror.holder !== holder)
    found.push({ kind: 'two_holders', term, holders: [mirror.holder, holder] })
  const pointerTerm = pointer.state === 'present' ? pointer.pointer.term : 0
  if (pointerTerm > term) found.push({ kind: 'pointer_above_lease', pointer: pointerTerm, lease: term })
  return found
}

/** A holder may change only with the term; in a lease that lost its term nothing stands for the change. */
function withoutTerm({ term, holder: before }: Known, holder: string): Incident[] {
  if (term === 0) return []
  const dropped: Incident = { kind: 'term_dropped', from: term }
  if (before === null || before === holder) return [dropped]
  return [dropped, { kind: 'holder_changed', from: before, to: holder }]
}
