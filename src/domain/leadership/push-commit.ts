import { type WriteOutcome, writeOnce } from './conditional-write.ts'
import { pushVerdict } from './fence.rules.ts'
import type { ReadablePointer } from './lease-protocol.ts'
import { type LockClaim, ownsLock } from './lock-protocol.ts'
import { lookAtPointer } from './pointer-object.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { pointerText, type Snapshot } from './push.rules.ts'
import {
  type Authorised,
  type Authority,
  authorise,
  isEnd,
  type PushSettings,
  refusedByPointer,
} from './push-authority.ts'
import { failed, lockGone, type PendingPush, type PushEnd, pushed } from './push-outcome.ts'

/** What a push has in hand when it comes to its commit. */
export type Work = { settings: PushSettings; snapshot: Snapshot; authority: Authority; claim: LockClaim }

/** The first write and three more after the pointer was found changed. */
const MAX_COMMITS = 4

/**
 * Each write comes after every check anew. Once a write was left open, no other end is reported before the pointer has shown that this
 * write did not take effect and never will.
 */
export function* commitPush(work: Work, lockedUntil: number): Protocol<PushEnd> {
  const { settings, snapshot, claim } = work
  const pushId = yield* perform({ effect: 'nonce' })
  let pending: PendingPush | null = null
  for (let attempt = 1; attempt <= MAX_COMMITS; attempt++) {
    const now: Authorised | PushEnd = yield* authorise(settings, work.authority)
    if (isEnd(now)) return yield* resolvePending(pending, work, now)
    const { authority, pointer } = now
    const verdict = pending && pushVerdict(pointer, pending)
    if (verdict === 'applied') return pushed(pushId, authority.term)
    if (verdict === 'not_applied') pending = null
    const refused = refusedByPointer(settings, authority, pointer, snapshot)
    if (refused !== null) return yield* resolvePending(pending, work, refused)
    const { lock } = yield* ownsLock(claim, lockedUntil)
    if (lock !== 'owned') return yield* resolvePending(pending, work, lockGone(lock))
    // A process that slept since its look at the lease looks again.
    if ((yield* perform({ effect: 'monotonic' })) >= authority.trustUntil) continue
    const basePushId = pointer.state === 'present' ? pointer.pointer.push_id : null
    const written = { pushId, basePushId, baseEtag: pointer.etag }
    const { outcome } = yield* writePointer(work, authority, pointer, written)
    if (outcome === 'applied') return pushed(pushId, authority.term)
    pending = outcome === 'lost' ? null : written
  }
  return yield* resolvePending(pending, work, failed('pointer_contended'))
}

/** The end of a push that stops here: as it seems, unless a write of it was left open. */
function* resolvePending(pending: PendingPush | null, { authority }: Work, end: PushEnd): Protocol<PushEnd> {
  if (pending === null) return end
  const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
  const verdict = pointer.state === 'unreadable' ? 'open' : pushVerdict(pointer, pending)
  if (verdict === 'applied') return pushed(pending.pushId, authority.term)
  return verdict === 'not_applied' ? end : { outcome: 'unknown', exit: 1, pending }
}

function writePointer(
  { settings, snapshot }: Work,
  { epoch, term }: Authority,
  pointer: ReadablePointer,
  pending: PendingPush,
): Protocol<WriteOutcome> {
  const { nodeId, canonicalId } = settings.node
  const text = pointerText(pointer, snapshot, { pushId: pending.pushId, nodeId, canonicalId, epoch, term })
  return writeOnce({ object: 'pointer', event: 'commit', text, ifMatch: pointer.etag }, (read) => {
    const now = lookAtPointer(read)
    return now.state === 'unreadable' ? 'open' : pushVerdict(now, pending)
  })
}
