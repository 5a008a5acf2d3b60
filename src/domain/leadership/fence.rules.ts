import { textOf } from './json-fields.ts'
import { fencedTerm, MAX_RECENT, type Pointer, type PointerLook } from './pointer-object.ts'

/**
 * Fencing ([leadership#fencing]). The pointer carries the highest term that was told to anybody; a push of a lower one is stale. The fence
 * is written before a new holder acts or a person hears of a selection, so that from then on no push of the old term is accepted.
 */
type ReadablePointer = Exclude<PointerLook, { state: 'unreadable' }>

/** Whether the fence of this term still has to be written. A first term follows none, so there is nothing to fence. */
export const needsFence = (look: ReadablePointer, term: number): boolean =>
  term > 1 && fencedTerm(look) < term

/** The text of the fence: the same content under the new epoch and term; where no pointer is, a stub that names no data. */
export function fenceText(
  look: ReadablePointer,
  to: { canonicalId: string; epoch: number; term: number },
): string {
  const content =
    look.state === 'present' ? look.pointer.fields : { canonical_id: to.canonicalId, sha256: null }
  const epoch = look.state === 'present' ? Math.max(look.pointer.epoch, to.epoch) : to.epoch
  return textOf({ ...content, epoch, term: to.term })
}

/** A push of this term may be committed upon this pointer. */
export const passesFence = (look: ReadablePointer, term: number): boolean => fencedTerm(look) <= term

/**
 * Whether a push is in the pointer, or was before others came upon it. `not_applied` is said only when the whole chain of pushes since
 * `basePushId` is visible and this one is not in it; a pointer that nobody wrote since leaves it open. So does one that names no push:
 * a node of today may have written it over this one.
 */
export function pushVerdict(
  look: ReadablePointer,
  push: { pushId: string; basePushId: string | null; baseEtag: string | null },
): 'applied' | 'not_applied' | 'open' {
  if (look.state === 'absent' || look.etag === push.baseEtag) return 'open'
  const { pointer } = look
  const chain = [pointer.push_id, ...pointer.recent.map(({ push_id }) => push_id)]
  if (chain.includes(push.pushId)) return 'applied'
  const isVisible = push.basePushId === null ? isWholeHistory(pointer) : chain.includes(push.basePushId)
  return isVisible ? 'not_applied' : 'open'
}

/** A list of recent pushes that was never cut, or a stub, which is only written where nothing was ever pushed. */
const isWholeHistory = ({ sha256, push_id, recent }: Pointer): boolean =>
  push_id === null ? sha256 === null : recent.length > 0 && recent.length < MAX_RECENT
