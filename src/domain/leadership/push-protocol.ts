import {
  type LockClaim,
  type LockReleased,
  type LockTaken,
  releaseLock,
  renewLock,
  takeLock,
} from './lock-protocol.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { type Authority, authorise, isEnd, type PushSettings, refusedByPointer } from './push-authority.ts'
import { commitPush, type Work } from './push-commit.ts'
import { failed, lockGone, type PushEnd, type PushOutcome } from './push-outcome.ts'

/**
 * A push, in the order of [leadership#push]: role, snapshot, role again, lock, upload, and then the commit, which reads the pointer, the lease
 * and the lock in this order and writes the pointer under the etag it read first. Whoever takes term or lock over in between is either
 * seen by those reads or has changed the pointer. The lock is let go in every way out.
 */
export function* push(settings: PushSettings): Protocol<PushOutcome> {
  const none = { lock: 'not_taken' as const }
  const first = yield* authorise(settings, null)
  if (isEnd(first)) return { ...first, ...none }
  const snapshot = yield* perform({ effect: 'snapshot' })
  if (snapshot === null) return { ...failed('snapshot_failed'), ...none }
  const second = yield* authorise(settings, first.authority)
  if (isEnd(second)) return { ...second, ...none }
  const { authority, pointer } = second
  const refused = refusedByPointer(settings, authority, pointer, snapshot)
  if (refused !== null && !(yield* lacksMirror(refused))) return { ...refused, ...none }
  const claim = yield* claimOf(settings, authority)
  const work = { settings, snapshot, authority, claim }
  let end: PushEnd = failed('lock_unknown')
  let lock: LockReleased = 'unknown'
  try {
    end = yield* underLock(work, refused)
  } finally {
    lock = yield* releaseLock(claim)
  }
  return { ...end, lock }
}

function* claimOf(settings: PushSettings, authority: Authority): Protocol<LockClaim> {
  const { node, hostname, project, lock, force } = settings
  const owner = {
    hostname,
    node_id: node.nodeId,
    project,
    canonical_id: node.canonicalId,
    owner_token: yield* perform({ effect: 'nonce' }),
    term: authority.term,
    ttl_seconds: lock.ttlSeconds,
  }
  return { owner, settings: lock, maySteal: authority.maySteal, force, sentOver: new Set() }
}

/** `found` is the end that needs no push, only the mirror of what the pointer has already. */
function* underLock(work: Work, found: PushEnd | null): Protocol<PushEnd> {
  const taken = yield* takeLock(work.claim)
  if (!taken.taken) return withoutLock(taken)
  const overrides = overridesOf(work)
  if (overrides !== null)
    yield* perform({ effect: 'audit', event: 'override_used', lease: null, reason: overrides })
  if (found !== null) return yield* mirrored(found)
  const uploaded = yield* upload(work.claim, taken.lockedUntil)
  if ('outcome' in uploaded) return uploaded
  return yield* mirrored(yield* commitPush(work, uploaded.lockedUntil))
}

/** The overrides under which this push goes on, by the names of their variables. */
function overridesOf({ settings, authority }: Work): string | null {
  const isSecondary = settings.leadership && authority.holder !== settings.node.nodeId
  const used = [isSecondary && 'ALLOW_SECONDARY_PUSH', settings.force && 'FORCE_PUSH'].filter(Boolean)
  return used.length > 0 ? used.join(', ') : null
}

function withoutLock(untaken: Exclude<LockTaken, { taken: true }>): PushEnd {
  if (untaken.why === 'unknown') return failed('lock_unknown', untaken.reason)
  const { state, holder, ageSeconds, ttlSeconds } = untaken
  return {
    outcome: 'blocked',
    exit: 1,
    message: 'lock_active',
    by: { state, holder, ageSeconds, ttlSeconds },
  }
}

/** Renewals come three times within the life of a lock. */
const RENEWALS_PER_TTL = 3

/** Until when the lock is held once the upload has ended, or how the push ends. */
function* upload(claim: LockClaim, takenUntil: number): Protocol<{ lockedUntil: number } | PushEnd> {
  const seconds = claim.settings.ttlSeconds / RENEWALS_PER_TTL
  for (let lockedUntil = takenUntil; ; ) {
    const answer = yield* perform({ effect: 'upload', seconds })
    if (answer === 'stored') return { lockedUntil }
    if (answer === 'failed') return failed('upload_failed')
    const holding = yield* renewLock(claim, lockedUntil)
    if (holding.lock !== 'owned') return lockGone(holding.lock)
    lockedUntil = holding.lockedUntil
  }
}

/** Whether the pointer has the content and the mirror has not, or not for certain, as after a kill between the two. */
function* lacksMirror(end: PushEnd): Protocol<boolean> {
  return end.outcome === 'up_to_date' && (yield* perform({ effect: 'mirror_sha' })) !== end.sha256
}

/** A push ends well only when nodes of today can see what the pointer names. */
function* mirrored(end: PushEnd): Protocol<PushEnd> {
  if (end.outcome !== 'pushed' && end.outcome !== 'up_to_date') return end
  if (end.outcome === 'up_to_date' && !(yield* lacksMirror(end))) return end
  if ((yield* perform({ effect: 'mirror' })) === 'stored') return end
  const pushId = end.outcome === 'pushed' ? end.pushId : null
  return { outcome: 'mirror_incomplete', exit: 1, pushId, term: end.term }
}
