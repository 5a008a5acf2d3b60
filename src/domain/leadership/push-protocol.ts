import { type WriteOutcome, writeOnce } from './conditional-write.ts'
import { passesFence, pushVerdict } from './fence.rules.ts'
import type { Known } from './known-terms.rules.ts'
import { type ReadablePointer, resolveRole } from './lease-protocol.ts'
import {
  type LockClaim,
  type LockReleased,
  ownsLock,
  releaseLock,
  renewLock,
  takeLock,
} from './lock-protocol.ts'
import { lookAtPointer } from './pointer-object.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { comparePush, pointerText, type Snapshot } from './push.rules.ts'
import type { LockRefusal, LockSettings } from './push-lock.rules.ts'
import type { NodeIdentity } from './role.rules.ts'

/**
 * A push, in the order of [leadership#push]: role, snapshot, role again, lock, upload, and then the commit, which reads the pointer, the lease
 * and the lock in this order and writes the pointer under the etag it read first. Whoever takes term or lock over in between is either
 * seen by those reads or has changed the pointer. The lock is let go in every way out.
 */
export type PushSettings = {
  node: NodeIdentity
  hostname: string
  project: string
  lock: LockSettings
  known: Known
  /** `LEADERSHIP_ENABLED`: without it neither role nor term is checked. */
  leadership: boolean
  allowSecondary: boolean
  force: boolean
}

export type PendingPush = { pushId: string; basePushId: string | null; baseEtag: string | null }

/** How a push ended, with the exit code of the command line. Only `pushed` and `mirror_incomplete` changed the pointer. */
export type PushEnd =
  | { outcome: 'pushed'; exit: 0; pushId: string; term: number }
  | { outcome: 'up_to_date'; exit: 0 }
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
  | { outcome: 'mirror_incomplete'; exit: 1; pushId: string; term: number }

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

type Authority = { holder: string | null; term: number; epoch: number; trustUntil: number; maySteal: boolean }
type Authorised = { authority: Authority; pointer: ReadablePointer }
type Work = { settings: PushSettings; snapshot: Snapshot; authority: Authority; claim: LockClaim }

const failed = (message: PushFailure, reason: string | null = null): PushEnd => ({
  outcome: 'failed',
  exit: 1,
  message,
  reason,
})
const isEnd = (value: PushEnd | Authorised): value is PushEnd => 'outcome' in value

/** Pushes the database once. */
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

/** Whether this node may push now: at the start, or still, on the term it began with. */
function* authorise(settings: PushSettings, before: Authority | null): Protocol<Authorised | PushEnd> {
  if (!settings.leadership) return yield* withoutLeadership()
  const standing = yield* resolveRole(settings.node, settings.known)
  if (standing.role === 'unknown') return failed('role_unknown', standing.reason)
  const { holder, term, epoch, pointer } = standing
  const isStale = before !== null && (before.term !== term || before.holder !== holder)
  if (isStale) return staleTerm(before.term, term)
  if (standing.role === 'primary')
    return { authority: { holder, term, epoch, trustUntil: standing.trustUntil, maySteal: true }, pointer }
  if (!settings.allowSecondary)
    return { outcome: 'refused', exit: 3, message: 'secondary_push_blocked', term, found: term }
  return {
    authority: { holder, term, epoch, trustUntil: Number.POSITIVE_INFINITY, maySteal: false },
    pointer,
  }
}

const staleTerm = (term: number, found: number): PushEnd => ({
  outcome: 'refused',
  exit: 3,
  message: 'stale_term',
  term,
  found,
})

/** As before leadership: the pointer keeps the term it has, and everything else stays as it is. */
function* withoutLeadership(): Protocol<Authorised | PushEnd> {
  const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
  if (pointer.state === 'unreadable') return failed('pointer_unreadable', pointer.reason)
  const { term, epoch } = pointer.state === 'present' ? pointer.pointer : { term: 0, epoch: 0 }
  return {
    authority: { holder: null, term, epoch, trustUntil: Number.POSITIVE_INFINITY, maySteal: true },
    pointer,
  }
}

/** What the pointer alone says against this push: a higher term, the same content, or more observations than here. */
function refusedByPointer(
  settings: PushSettings,
  authority: Authority,
  pointer: ReadablePointer,
  snapshot: Snapshot,
): PushEnd | null {
  if (!passesFence(pointer, authority.term) && pointer.state === 'present')
    return staleTerm(authority.term, pointer.pointer.term)
  const compared = comparePush(pointer, snapshot, settings.force)
  if (compared === 'same') return { outcome: 'up_to_date', exit: 0 }
  return compared === 'remote_ahead' ? failed('remote_ahead') : null
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
  const end = yield* commit(work)
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

/** The first write and three more after the pointer was found changed. */
const MAX_COMMITS = 4

/**
 * Each write comes after every check anew. Once a write was left open, no other end is reported before the pointer has shown that this
 * write did not take effect and never will.
 */
function* commit(work: Work): Protocol<PushEnd> {
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
    if (!(yield* ownsLock(claim))) return yield* resolvePending(pending, work, failed('lock_lost'))
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

const pushed = (pushId: string, term: number): PushEnd => ({ outcome: 'pushed', exit: 0, pushId, term })

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
