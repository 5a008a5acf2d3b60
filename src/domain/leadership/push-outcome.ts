import type { LockReleased } from './lock-protocol.ts'
import type { LockRefusal } from './push-lock.rules.ts'

/** A write of the pointer that was left open, as `pushVerdict` needs it. */
export type PendingPush = { pushId: string; basePushId: string | null; baseEtag: string | null }

/** How a push ended, with the exit code of the command line. Only `pushed`, and `mirror_incomplete` with a push id, changed the pointer. */
export type PushEnd =
  | { outcome: 'pushed'; exit: 0; pushId: string; term: number }
  /** The pointer has the same content, and the mirror has it, too. */
  | { outcome: 'up_to_date'; exit: 0; sha256: string; term: number }
  | {
      outcome: 'refused'
      exit: 3
      message: 'secondary_push_blocked' | 'stale_term'
      term: number
      found: number
    }
  | { outcome: 'blocked'; exit: 1; message: 'lock_active'; by: LockRefusal }
  | { outcome: 'failed'; exit: 1; message: PushFailure; reason: string | null }
  /** The pointer may or may not carry this push: to be resolved with `pushVerdict` before anything is said of it. */
  | { outcome: 'unknown'; exit: 1; pending: PendingPush }
  /** `pushId` is `null` where the pointer had the content before. */
  | { outcome: 'mirror_incomplete'; exit: 1; pushId: string | null; term: number }

export type PushFailure =
  | 'role_unknown'
  | 'pointer_unreadable'
  | 'snapshot_failed'
  | 'remote_ahead'
  | 'lock_unknown'
  | 'lock_lost'
  | 'upload_failed'
  | 'pointer_contended'

export type PushOutcome = PushEnd & { lock: LockReleased | 'not_taken' }

/** The end of a push that an error of this kind stopped; the pointer is as it was. */
export const failed = (message: PushFailure, reason: string | null = null): PushEnd => ({
  outcome: 'failed',
  exit: 1,
  message,
  reason,
})

/** The end of a push that has lost its lock, or was not told so before the lock ran out. */
export const lockGone = (lock: 'lost' | 'unknown'): PushEnd =>
  lock === 'lost'
    ? failed('lock_lost')
    : failed('lock_unknown', 'the store did not answer before the lock ran out')

/** The end of a push whose term is no longer the one that counts. */
export const staleTerm = (term: number, found: number): PushEnd => ({
  outcome: 'refused',
  exit: 3,
  message: 'stale_term',
  term,
  found,
})

export const pushed = (pushId: string, term: number): PushEnd => ({
  outcome: 'pushed',
  exit: 0,
  pushId,
  term,
})
