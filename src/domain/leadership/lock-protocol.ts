import { compareAndSet, PAUSE_SECONDS, type Verdict } from './conditional-write.ts'
import { textOf } from './json-fields.ts'
import { type LockLook, type LockOwner, leasedLock, lookAtLock, releasedLock } from './lock-object.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { decideLock, isOwnLock, type LockRefusal, type LockSettings } from './push-lock.rules.ts'

/** Taking, renewing and releasing the Push Lock ([leadership#push-lock]); every write is conditional, and the owner is a token. */
export type LockClaim = {
  owner: LockOwner
  settings: LockSettings
  maySteal: boolean
  force: boolean
  /** Over which etags a write of this owner went out: it may still take effect where one of them is there. */
  readonly sentOver: Set<string | null>
}

export type LockTaken =
  /** `lockedUntil` is the lock's own end, in own monotonic seconds: until then nobody may steal it. */
  | { taken: true; overridden: boolean; lockedUntil: number }
  | ({ taken: false; why: 'blocked' } & LockRefusal)
  /** The store left open whether the lock is this owner's: it is to be released like one that is. */
  | { taken: false; why: 'unknown'; reason: string }

/** Takes the lock, or renews it where this owner has it already. */
export function* takeLock(claim: LockClaim): Protocol<LockTaken> {
  const { owner, settings, maySteal, force } = claim
  const startedAt = yield* perform({ effect: 'monotonic' })
  const look = yield* readLock()
  const decision = decideLock({ look, ownerToken: owner.owner_token, settings, maySteal, force })
  if (decision.next === 'unknown') return { taken: false, why: 'unknown', reason: decision.reason }
  if (decision.next === 'blocked') return { ...decision, taken: false, why: 'blocked' }
  const { event, ifMatch, storeNow } = decision
  const text = textOf(leasedLock(owner, storeNow))
  claim.sentOver.add(ifMatch)
  const { outcome } = yield* compareAndSet({ object: 'lock', event, text, ifMatch }, (read): Verdict => {
    const now = lookAtLock(read)
    if (now.state === 'unreadable') return 'open'
    return isOwnLock(now, owner.owner_token) ? 'applied' : 'not_applied'
  })
  if (outcome === 'applied')
    return { taken: true, overridden: event === 'override', lockedUntil: startedAt + owner.ttl_seconds }
  if (outcome === 'unknown') return { taken: false, why: 'unknown', reason: 'the write was not answered' }
  const { ttlSeconds } = settings
  return { taken: false, why: 'blocked', state: 'active', holder: null, ageSeconds: 0, ttlSeconds }
}

function* readLock(): Protocol<LockLook> {
  return lookAtLock(yield* perform({ effect: 'read', object: 'lock' }))
}

/** Not being answered is not having lost the lock: nobody else may take it before its end. */
export type LockHolding = { lock: 'owned'; lockedUntil: number } | { lock: 'lost' } | { lock: 'unknown' }

/** Begins the lock's time anew where it is still this owner's. */
export const renewLock = (claim: LockClaim, lockedUntil: number): Protocol<LockHolding> =>
  untilKnown(lockedUntil, function* () {
    const look = yield* readLock()
    if (look.state === 'unreadable') return { lock: 'unknown' }
    if (!isOwnLock(look, claim.owner.owner_token)) return { lock: 'lost' }
    const renewed = yield* takeLock({ ...claim, maySteal: false, force: false })
    if (renewed.taken) return { lock: 'owned', lockedUntil: renewed.lockedUntil }
    return { lock: renewed.why === 'unknown' ? 'unknown' : 'lost' }
  })

/** Whether the lock is this owner's at this moment. */
export const ownsLock = ({ owner }: LockClaim, lockedUntil: number): Protocol<LockHolding> =>
  untilKnown(lockedUntil, function* () {
    const look = yield* readLock()
    if (look.state === 'unreadable') return { lock: 'unknown' }
    return isOwnLock(look, owner.owner_token) ? { lock: 'owned', lockedUntil } : { lock: 'lost' }
  })

/** Asks again until there is an answer, but not past the lock's own end. */
function* untilKnown(lockedUntil: number, ask: () => Protocol<LockHolding>): Protocol<LockHolding> {
  for (;;) {
    const holding = yield* ask()
    if (holding.lock !== 'unknown') return holding
    if ((yield* perform({ effect: 'monotonic' })) + PAUSE_SECONDS >= lockedUntil) return holding
    yield* perform({ effect: 'wait', seconds: PAUSE_SECONDS })
  }
}

export type LockReleased = 'released' | 'not_ours' | 'unknown'
const MAX_READS = 4

/**
 * Lets the lock go, in every way a push ends; one that others have taken since is left alone. A take that was not answered and is not to be
 * seen may still come: what it was written over is replaced, which refuses it.
 */
export function* releaseLock({ owner, sentOver }: LockClaim): Protocol<LockReleased> {
  for (let attempt = 1; attempt <= MAX_READS; attempt++) {
    if (attempt > 1) yield* perform({ effect: 'wait', seconds: PAUSE_SECONDS })
    const look = yield* readLock()
    if (look.state === 'unreadable') continue
    const isOwn = isOwnLock(look, owner.owner_token)
    if (!isOwn && !sentOver.has(look.etag)) return 'not_ours'
    const event = isOwn ? 'release' : 'withdraw'
    const { outcome } = yield* compareAndSet(
      { object: 'lock', event, text: textOf(releasedLock(owner)), ifMatch: look.etag },
      (read): Verdict => {
        const now = lookAtLock(read)
        if (now.state === 'unreadable') return 'open'
        return isOwnLock(now, owner.owner_token) ? 'not_applied' : 'applied'
      },
    )
    if (outcome === 'applied') return 'released'
    if (outcome === 'unknown') return 'unknown'
  }
  return 'unknown'
}
