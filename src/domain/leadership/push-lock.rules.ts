import { can } from '../kernel/machine.ts'
import type { LockLook } from './lock-object.ts'
import { type LockState, type LockWriteEvent, pushLockMachine } from './push-lock.machine.ts'

/**
 * Whether the Push Lock may be taken ([leadership#push-lock]). A lock is one's own by its owner token, never by the name of a host or a
 * node: two processes of one machine are two owners. The lock spares work; what keeps a push right is the fence and the pointer's etag.
 */
export type LockSettings = { ttlSeconds: number; graceSeconds: number }

export type LockQuestion = {
  look: LockLook
  ownerToken: string
  settings: LockSettings
  /** Only a primary steals a stale lock, or anybody where leadership is off. */
  maySteal: boolean
  /** `FORCE_PUSH`: replaces any lock, by its etag; it passes no role, no term and no etag. */
  force: boolean
}

export type LockRefusal = {
  state: Exclude<LockState, 'free'>
  holder: string | null
  ageSeconds: number
  ttlSeconds: number
}

export type LockDecision =
  | { next: 'write'; event: LockWriteEvent; ifMatch: string | null; storeNow: number }
  | ({ next: 'blocked' } & LockRefusal)
  | { next: 'unknown'; reason: string }

export type LockStanding = LockRefusal | { state: Extract<LockState, 'free'> }

/** How a lock stands. One that says it is from the future has been there since its last write, at the latest. */
export function standingOfLock(
  look: Exclude<LockLook, { state: 'unreadable' }>,
  settings: LockSettings,
): LockStanding {
  if (look.state === 'absent' || look.lock?.released === true) return { state: 'free' }
  const { lock, modified, storeNow } = look
  const since = lock === null ? modified : Math.min(lock.timestamp, modified)
  const ttlSeconds = lock?.ttl_seconds ?? settings.ttlSeconds
  const ageSeconds = Math.max(0, storeNow - since)
  const state =
    ageSeconds < ttlSeconds ? 'active' : ageSeconds <= ttlSeconds + settings.graceSeconds ? 'grace' : 'stale'
  return { state, holder: lock?.node_id ?? lock?.hostname ?? null, ageSeconds, ttlSeconds }
}

/** Whether the lock is this owner's, whatever its age. */
export const isOwnLock = (look: LockLook, ownerToken: string): boolean =>
  look.state === 'present' && look.lock?.owner_token === ownerToken && look.lock.released !== true

/** What the owner of this token may write now. */
export function decideLock(question: LockQuestion): LockDecision {
  const { look, ownerToken, settings, maySteal, force } = question
  if (look.state === 'unreadable') return { next: 'unknown', reason: look.reason }
  const standing = standingOfLock(look, settings)
  const write = (event: LockWriteEvent): LockDecision => ({
    next: 'write',
    event,
    ifMatch: look.etag,
    storeNow: look.storeNow,
  })
  if (standing.state === 'free') return write('acquire')
  if (isOwnLock(look, ownerToken)) return write('renew')
  if (maySteal && can(pushLockMachine, standing.state, 'steal')) return write('steal')
  if (force) return write('override')
  return { next: 'blocked', ...standing }
}
