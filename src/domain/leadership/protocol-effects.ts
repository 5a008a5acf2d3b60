import type { LeaseWriteEvent } from './leadership-lease.machine.ts'
import type { Lease } from './lease-object.ts'
import type { Snapshot } from './push.rules.ts'
import type { LockWriteEvent } from './push-lock.machine.ts'

/**
 * What the protocols want done ([leadership#effects]). A protocol is a generator: it yields one effect at a time, is given the answer,
 * and holds no clock, no store and no randomness itself. Whoever interprets it performs each effect once and never throws for what a
 * store or a network does; a protocol that is abandoned between two effects is what a killed process is.
 */
export type FencedObject = 'lease' | 'lock' | 'pointer'

/**
 * An object as the store answered. `storeNow` is the store's clock of the answer, `modified` its date of the last write, both in epoch
 * seconds. Only a definite "not there" is absent; a timeout, a refusal or a 5xx is `unknown`.
 */
export type ObjectRead =
  | { found: 'object'; text: string; etag: string; modified: number; storeNow: number }
  | { found: 'absent'; storeNow: number }
  | { found: 'unknown'; reason: string }

/**
 * `refused` is 412 (or 404 for a replace); everything that leaves the outcome open, 409 included, is `unknown`. Neither is believed
 * before the object was read back: a client's own repeat is refused by its first attempt.
 */
export type WriteAnswer = { answer: 'applied'; etag: string } | { answer: 'refused' } | { answer: 'unknown' }

export type WriteEvent = LeaseWriteEvent | LockWriteEvent | 'fence' | 'commit'

/** `ifMatch: null` means that the object must not exist. */
export type WriteEffect = {
  effect: 'write'
  object: FencedObject
  event: WriteEvent
  text: string
  ifMatch: string | null
}

export type AuditEvent = 'bootstrap' | 'take_over' | 'select' | 'override_used'

export type Effect =
  | { effect: 'read'; object: FencedObject }
  | WriteEffect
  /** Seconds of a clock of this process that is never set. */
  | { effect: 'monotonic' }
  | { effect: 'wait'; seconds: number }
  /** 128 random bits as text. */
  | { effect: 'nonce' }
  /** A consistent copy of the database, checked, counted and hashed. */
  | { effect: 'snapshot' }
  /** Begins the upload of the snapshot, or goes on waiting for it, at most so long; one that the protocol leaves behind is cancelled. */
  | { effect: 'upload'; seconds: number }
  /** The copy for today's nodes. */
  | { effect: 'mirror' }
  /** The hash of that copy, as it says itself. */
  | { effect: 'mirror_sha' }
  /** Create-only and repeatable: the same lease and event lead to the same object. */
  | { effect: 'audit'; event: AuditEvent; lease: Lease | null; reason: string | null }

export type Answers = {
  read: ObjectRead
  write: WriteAnswer
  monotonic: number
  wait: undefined
  nonce: string
  snapshot: Snapshot | null
  upload: 'stored' | 'going' | 'failed'
  mirror: 'stored' | 'failed'
  /** `null` where there is none, or none that could be read. */
  mirror_sha: string | null
  audit: undefined
}

export type Answer = Answers[keyof Answers]
export type Protocol<T> = Generator<Effect, T, Answer>

/** Yields one effect and has its answer. */
export function* perform<E extends Effect>(effect: E): Protocol<Answers[E['effect']]> {
  return (yield effect) as Answers[E['effect']]
}
