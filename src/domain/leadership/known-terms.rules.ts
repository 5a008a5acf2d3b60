import type { Lease } from './lease-object.ts'
import type { PointerLook } from './pointer-object.ts'

/**
 * The highest epoch and term that anybody here has seen: of the mirror, the pointer, the audit objects, this node's own state
 * ([leadership#epoch-and-term]). `holder` is who has that term; `null` where that is not known for certain.
 */
export type Known = { readonly epoch: number; readonly term: number; readonly holder: string | null }

export const NOTHING_KNOWN: Known = { epoch: 0, term: 0, holder: null }

/** All that is known together. Two sources that name different holders of one term leave it unknown. */
export function highestKnown(...sources: readonly Known[]): Known {
  const term = Math.max(0, ...sources.map((source) => source.term))
  const holders = new Set(
    sources.filter((source) => source.term === term && source.holder !== null).map((source) => source.holder),
  )
  const [holder = null] = holders.size === 1 ? holders : []
  return { epoch: Math.max(0, ...sources.map((source) => source.epoch)), term, holder }
}

/** What a pointer makes known. It does not say who has its term: a fence keeps the content, and so the node, of the push before. */
export const knownFromPointer = (look: PointerLook): Known =>
  look.state === 'present'
    ? { epoch: look.pointer.epoch, term: look.pointer.term, holder: null }
    : NOTHING_KNOWN

/**
 * The term a lease stands for. One without it was written by a node that does not know terms: the highest known if its holder is
 * certainly the same, else one more, which never gives one term to two nodes.
 */
export function termOf(lease: Lease, known: Known): number {
  if (lease.term !== null) return lease.term
  const isSameHolder = known.term > 0 && known.holder === lease.primary_node_id
  return isSameHolder ? known.term : known.term + 1
}

/** Whether a push on this lease's term would be stale: a higher one was told to somebody. */
export const fellBehind = (lease: Lease, known: Known): boolean => termOf(lease, known) < known.term

/** The epoch of the next write: one more than every epoch seen, so that it is never reset. */
export const nextEpoch = (lease: Lease | null, known: Known): number =>
  Math.max(lease?.epoch ?? 0, known.epoch) + 1

/** The term of a new holder: one more than every term seen. */
export const nextTerm = (lease: Lease | null, known: Known): number =>
  Math.max(lease === null ? 0 : termOf(lease, known), known.term) + 1
