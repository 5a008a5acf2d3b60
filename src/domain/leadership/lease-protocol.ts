import { compareAndSet, PAUSE_SECONDS } from './conditional-write.ts'
import { fenceText, needsFence } from './fence.rules.ts'
import { textOf } from './json-fields.ts'
import { highestKnown, type Known, knownFromPointer } from './known-terms.rules.ts'
import { type Lease, type LeaseLook, lookAtLease } from './lease-object.ts'
import { fencedTerm, lookAtPointer, type PointerLook } from './pointer-object.ts'
import { type AuditEvent, type Protocol, perform } from './protocol-effects.ts'
import {
  decideRole,
  type Leadership,
  type NodeIdentity,
  type RoleDecision,
  type RoleWarning,
} from './role.rules.ts'

/**
 * How a node comes to its role ([leadership#role]): look, decide, write, look again. What a write led to is told by the next look alone, so a
 * lost answer and a lost race need no branch of their own. A node is primary only after its term stands in the pointer, too.
 *
 * The pointer is read before the lease. A push may rely on that order: whoever takes the term over after the lease was read writes the
 * fence after the pointer was read, and the etag of that read refuses the push.
 */
export type ReadablePointer = Exclude<PointerLook, { state: 'unreadable' }>

export type RoleStanding =
  | { role: 'unknown'; reason: string }
  | ({ role: 'primary'; trustUntil: number; warning: RoleWarning; pointer: ReadablePointer } & Leadership)
  | ({ role: 'secondary'; warning: RoleWarning; pointer: ReadablePointer } & Leadership)

const MAX_LOOKS = 8
/** Looks that may still write what is not necessary. */
const EARLY_LOOKS = 3

type Writing = Extract<RoleDecision, { next: 'write' }>

/** The role of this node now. Writes the lease where [leadership#role] says so, and the fence of a term that is this node's. */
export function* resolveRole(node: NodeIdentity, ownKnown: Known): Protocol<RoleStanding> {
  let expiredLooks = 0
  let written: Writing | null = null
  for (let looks = 1; looks <= MAX_LOOKS; looks++) {
    const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
    if (pointer.state === 'unreadable') return { role: 'unknown', reason: `manifest.json: ${pointer.reason}` }
    const nonce = yield* perform({ effect: 'nonce' })
    const startedAt = yield* perform({ effect: 'monotonic' })
    const look = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
    if (written !== null) yield* auditOwnWrite(written, look)
    const known = highestKnown(ownKnown, knownFromPointer(pointer))
    const mayRenewEarly = looks <= EARLY_LOOKS
    const decision = decideRole({ look, node, known, startedAt, nonce, expiredLooks, mayRenewEarly })
    const standing = standingOf(decision, pointer)
    if (standing !== null) return standing
    if (decision.next === 'look_again') expiredLooks++
    if (decision.next === 'write') written = decision
    yield* carryOut(decision, pointer, node)
  }
  return { role: 'unknown', reason: `no decision after ${MAX_LOOKS} looks` }
}

/** What the decision says at once; `null` where something is to be done before. */
function standingOf(decision: RoleDecision, pointer: ReadablePointer): RoleStanding | null {
  if (decision.next === 'unknown') return { role: 'unknown', reason: decision.reason }
  if (decision.next === 'secondary')
    return { role: 'secondary', pointer, warning: decision.warning, ...leadershipOf(decision) }
  if (decision.next !== 'primary' || needsFence(pointer, decision.term)) return null
  const { trustUntil, warning } = decision
  return { role: 'primary', trustUntil, pointer, warning, ...leadershipOf(decision) }
}

/** Waits, writes the lease, or fences the term; the next look tells what it led to. */
function* carryOut(decision: RoleDecision, pointer: ReadablePointer, node: NodeIdentity): Protocol<void> {
  if (decision.next === 'look_again') yield* perform({ effect: 'wait', seconds: decision.seconds })
  if (decision.next === 'primary') yield* writeFence(pointer, node.canonicalId, decision)
  if (decision.next !== 'write') return
  const { event, lease, ifMatch } = decision
  yield* perform({ effect: 'write', object: 'lease', event, text: textOf(lease), ifMatch })
}

const leadershipOf = ({ holder, term, epoch, lease }: Leadership): Leadership => ({
  holder,
  term,
  epoch,
  lease,
})

/** The audit object of a term that this call began, once the lease shows that it did. */
function* auditOwnWrite(written: Writing, look: LeaseLook): Protocol<void> {
  if (written.event === 'renew' || (look.state !== 'valid' && look.state !== 'expired')) return
  if (look.lease.nonce !== written.lease.nonce) return
  const event: AuditEvent = written.event === 'bootstrap' ? 'bootstrap' : 'take_over'
  yield* perform({ effect: 'audit', event, lease: look.lease, reason: null })
}

type Fence = { epoch: number; term: number }

/** One conditional write of the fence; true when the pointer is known to carry the term, or a higher one. */
function* writeFence(
  pointer: ReadablePointer,
  canonicalId: string,
  { epoch, term }: Fence,
): Protocol<boolean> {
  const text = fenceText(pointer, { canonicalId, epoch, term })
  const { outcome } = yield* compareAndSet(
    { object: 'pointer', event: 'fence', text, ifMatch: pointer.etag },
    (read) => {
      const now = lookAtPointer(read)
      if (now.state === 'unreadable') return 'open'
      return fencedTerm(now) >= term ? 'applied' : 'not_applied'
    },
  )
  return outcome === 'applied'
}

/** How often a fence competes with pushes of the old term before it is left to the next scan. */
const MAX_FENCES = 4

/** Fences the term of this lease: true once the pointer carries it, false when the store did not let that be known. */
export function* ensureFence(lease: Lease, canonicalId: string): Protocol<boolean> {
  const { epoch, term } = lease
  if (term === null) return false
  for (let attempt = 1; attempt <= MAX_FENCES; attempt++) {
    if (attempt > 1) yield* perform({ effect: 'wait', seconds: PAUSE_SECONDS })
    const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
    if (pointer.state === 'unreadable') continue
    if (!needsFence(pointer, term)) return true
    if (yield* writeFence(pointer, canonicalId, { epoch, term })) return true
  }
  return false
}
