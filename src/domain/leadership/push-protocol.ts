import { type LockClaim, type LockReleased, releaseLock, renewLock, takeLock } from './lock-protocol.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { type Authority, authorise, isEnd, type PushSettings, refusedByPointer } from './push-authority.ts'
import { commitPush, type Work } from './push-commit.ts'
import { failed, type PushEnd, type PushOutcome } from './push-outcome.ts'

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
  if (refused !== null) return { ...refused, ...none }
  const claim = yield* claimOf(settings, authority)
  const work = { settings, snapshot, authority, claim }
  let end: PushEnd = failed('lock_unknown')
  let lock: LockReleased = 'unknown'
  try {
    end = yield* underLock(work)
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
  return { owner, settings: lock, maySteal: authority.maySteal, force }
}

function* underLock(work: Work): Protocol<PushEnd> {
  const taken = yield* takeLock(work.claim)
  if (!taken.taken) {
    if (taken.why === 'unknown') return failed('lock_unknown', taken.reason)
    const { state, holder, ageSeconds, ttlSeconds } = taken
    return {
      outcome: 'blocked',
      exit: 1,
      message: 'lock_active',
      by: { state, holder, ageSeconds, ttlSeconds },
    }
  }
  if (taken.overridden)
    yield* perform({ effect: 'audit', event: 'override_used', lease: null, reason: 'FORCE_PUSH' })
  const fault = yield* upload(work.claim)
  if (fault !== null) return fault
  const end = yield* commitPush(work)
  if (end.outcome !== 'pushed') return end
  const { pushId, term } = end
  const mirrored = yield* perform({ effect: 'mirror' })
  return mirrored === 'stored' ? end : { outcome: 'mirror_incomplete', exit: 1, pushId, term }
}

/** Renewals come three times within the life of a lock. */
const RENEWALS_PER_TTL = 3

function* upload(claim: LockClaim): Protocol<PushEnd | null> {
  const seconds = claim.settings.ttlSeconds / RENEWALS_PER_TTL
  for (;;) {
    const answer = yield* perform({ effect: 'upload', seconds })
    if (answer === 'stored') return null
    if (answer === 'failed') return failed('upload_failed')
    if (!(yield* renewLock(claim))) return failed('lock_lost')
  }
}
