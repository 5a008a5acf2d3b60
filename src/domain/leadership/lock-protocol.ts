import { compareAndSet, type Verdict } from './conditional-write.ts'
import { textOf } from './json-fields.ts'
import { type LockOwner, leasedLock, lookAtLock, releasedLock } from './lock-object.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { decideLock, isOwnLock, type LockRefusal, type LockSettings } from './push-lock.rules.ts'

/** Taking, renewing and releasing the Push Lock ([leadership#push-lock]); every write is conditional, and the owner is a token. */
export type LockClaim = {
  owner: LockOwner
  settings: LockSettings
  maySteal: boolean
  force: boolean
}

export type LockTaken =
  | { taken: true; overridden: boolean }
  | ({ taken: false; why: 'blocked' } & LockRefusal)
  /** The store left open whether the lock is this owner's: it is to be released like one that is. */
  | { taken: false; why: 'unknown'; reason: string }

/** Takes the lock, or renews it where this owner has it already. */
export function* takeLock({ owner, settings, maySteal, force }: LockClaim): Protocol<LockTaken> {
  const look = lookAtLock(yield* perform({ effect: 'read', object: 'lock' }))
  const decision = decideLock({ look, ownerToken: owner.owner_token, settings, maySteal, force })
  if (decision.next === 'unknown') return { taken: false, why: 'unknown', reason: decision.reason }
  if (decision.next === 'blocked') return { ...decision, taken: false, why: 'blocked' }
  const { event, ifMatch, storeNow } = decision
  const text = textOf(leasedLock(owner, storeNow))
  const { outcome } = yield* compareAndSet({ object: 'lock', event, text, ifMatch }, (read): Verdict => {
    const now = lookAtLock(read)
    if (now.state === 'unreadable') return 'open'
    return isOwnLock(now, owner.owner_token) ? 'applied' : 'not_applied'
  })
  if (outcome === 'applied') return { taken: true, overridden: event === 'override' }
  if (outcome === 'unknown') return { taken: false, why: 'unknown', reason: 'the write was not answered' }
  const { ttlSeconds } = settings
  return { taken: false, why: 'blocked', state: 'active', holder: null, ageSeconds: 0, ttlSeconds }
}

/** True when the lock was still this owner's and its time begins anew. */
export function* renewLock(claim: LockClaim): Protocol<boolean> {
  const look = lookAtLock(yield* perform({ effect: 'read', object: 'lock' }))
  if (!isOwnLock(look, claim.owner.owner_token)) return false
  const { taken } = yield* takeLock({ ...claim, maySteal: false, force: false })
  return taken
}

/** True when the lock is this owner's at this moment. */
export function* ownsLock({ owner }: LockClaim): Protocol<boolean> {
  return isOwnLock(lookAtLock(yield* perform({ effect: 'read', object: 'lock' })), owner.owner_token)
}

export type LockReleased = 'released' | 'not_ours' | 'unknown'
const MAX_READS = 3

/** Lets the lock go, in every way a push ends; one that others have taken since is left alone. */
export function* releaseLock({ owner }: LockClaim): Protocol<LockReleased> {
  for (let attempt = 1; attempt <= MAX_READS; attempt++) {
    const look = lookAtLock(yield* perform({ effect: 'read', object: 'lock' }))
    if (look.state === 'unreadable') continue
    if (!isOwnLock(look, owner.owner_token)) return 'not_ours'
    const { outcome } = yield* compareAndSet(
      { object: 'lock', event: 'release', text: textOf(releasedLock(owner)), ifMatch: look.etag },
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
