import { fellBehind, type Known, nextEpoch, nextTerm, termOf } from './known-terms.rules.ts'
import type { LeaseWriteEvent } from './leadership-lease.machine.ts'
import { type Lease, type LeaseLook, nextLease, type StoredLease } from './lease-object.ts'

/**
 * The role of a node ([leadership#role]): one function of what was read, who asks, what is known and the clocks. Time is the store's;
 * the node's own clock, which is never set, decides only how long an answer may be relied on, counted from the *start* of the read.
 * Not knowing is not being primary.
 */
export type NodeIdentity = {
  nodeId: string
  canonicalId: string
  /** `PRIMARY_NODE_ID`: whom this node was configured to take for the primary. */
  primaryNodeId: string | null
  /** Of a lease that this node begins. */
  leaseSeconds: number
}

export type RoleQuestion = {
  look: LeaseLook
  node: NodeIdentity
  known: Known
  /** Own monotonic seconds when the read began. */
  startedAt: number
  /** Names the write that this may lead to. */
  nonce: string
  /** How often the lease was found expired before this look. */
  expiredLooks: number
  /** False on the last look: what need not be written is not. */
  mayRenewEarly: boolean
}

/** The holder's names are as the lease has them; `trustUntil` is in own monotonic seconds. */
export type Leadership = { holder: string; term: number; epoch: number; lease: Lease }
export type RoleWarning = 'primary_node_id_contradicts' | null

export type RoleDecision =
  | { next: 'unknown'; reason: string }
  | { next: 'write'; event: LeaseWriteEvent; lease: Lease; ifMatch: string | null }
  | { next: 'look_again'; seconds: number }
  | ({ next: 'primary'; trustUntil: number; warning: RoleWarning } & Leadership)
  | ({ next: 'secondary'; warning: RoleWarning } & Leadership)

/** How long after its end another node's lease is taken over, in seconds of the store. */
export const TAKEOVER_MARGIN = 5
/** The pause before an expired lease is read once more. */
export const SECOND_LOOK_SECONDS = 2
/** The share of a lease below which its holder renews it. */
const RENEWAL_SHARE = 0.5

/** Rows 1 to 6 of [leadership#role], in their order. */
export function decideRole(question: RoleQuestion): RoleDecision {
  const { look } = question
  switch (look.state) {
    case 'unreadable':
      return { next: 'unknown', reason: look.reason }
    case 'absent':
      return bootstrap(question, look.storeNow)
    case 'valid':
      return byValidLease(question, look)
    case 'expired':
      return byExpiredLease(question, look)
  }
}

function bootstrap({ node, known, nonce }: RoleQuestion, storeNow: number): RoleDecision {
  const lease = nextLease(null, {
    canonical_id: node.canonicalId,
    primary_node_id: node.primaryNodeId ?? node.nodeId,
    issued_by: node.nodeId,
    storeNow,
    lease_seconds: node.leaseSeconds,
    epoch: nextEpoch(null, known),
    term: nextTerm(null, known),
    needs_ui_selection: node.primaryNodeId === null,
    nonce,
  })
  return { next: 'write', event: 'bootstrap', lease, ifMatch: null }
}

function byValidLease(question: RoleQuestion, stored: StoredLease): RoleDecision {
  const { node, known, startedAt, mayRenewEarly } = question
  const { lease, remaining } = stored
  const contradicts = node.primaryNodeId !== null && node.primaryNodeId !== lease.primary_node_id
  const warning = contradicts ? 'primary_node_id_contradicts' : null
  const leadership = { holder: lease.primary_node_id, term: termOf(lease, known), epoch: lease.epoch, lease }
  if (lease.primary_node_id !== node.nodeId) return { next: 'secondary', warning, ...leadership }
  if (fellBehind(lease, known)) return overtaken(leadership.term, known)
  // A term that was only inferred may be inferred elsewhere, too: it is this node's once it stands in the lease.
  if (lease.term === null) return renewal(question, stored)
  if (mayRenewEarly && remaining < lease.lease_seconds * RENEWAL_SHARE) return renewal(question, stored)
  return { next: 'primary', trustUntil: startedAt + remaining, warning, ...leadership }
}

function byExpiredLease(question: RoleQuestion, stored: StoredLease): RoleDecision {
  const { node, known, expiredLooks } = question
  const { lease, remaining } = stored
  const isConfigured = node.primaryNodeId === node.nodeId
  if (lease.primary_node_id === node.nodeId) {
    if (fellBehind(lease, known)) return overtaken(termOf(lease, known), known)
    if (isConfigured || node.primaryNodeId === null) return renewal(question, stored)
  } else if (isConfigured && lease.needs_ui_selection && remaining <= -TAKEOVER_MARGIN) {
    return takeover(question, stored)
  }
  if (expiredLooks === 0) return { next: 'look_again', seconds: SECOND_LOOK_SECONDS }
  return {
    next: 'secondary',
    warning: null,
    holder: lease.primary_node_id,
    term: termOf(lease, known),
    epoch: lease.epoch,
    lease,
  }
}

/**
 * An own lease of a term below a known one was put back by something that does not know the conditions: every push on it would be stale,
 * and who leads is for a person to say.
 */
const overtaken = (term: number, known: Known): RoleDecision => ({
  next: 'unknown',
  reason: `lease.json has term ${term}, but term ${known.term} is known: select a primary`,
})

function renewal({ node, known, nonce }: RoleQuestion, { lease, etag, storeNow }: StoredLease): RoleDecision {
  const renewed = nextLease(lease, {
    canonical_id: node.canonicalId,
    primary_node_id: node.nodeId,
    issued_by: node.nodeId,
    storeNow,
    lease_seconds: lease.lease_seconds,
    epoch: nextEpoch(lease, known),
    term: termOf(lease, known),
    needs_ui_selection: lease.needs_ui_selection,
    nonce,
  })
  return { next: 'write', event: 'renew', lease: renewed, ifMatch: etag }
}

function takeover(
  { node, known, nonce }: RoleQuestion,
  { lease, etag, storeNow }: StoredLease,
): RoleDecision {
  const taken = nextLease(lease, {
    canonical_id: node.canonicalId,
    primary_node_id: node.nodeId,
    issued_by: node.nodeId,
    storeNow,
    lease_seconds: node.leaseSeconds,
    epoch: nextEpoch(lease, known),
    term: nextTerm(lease, known),
    needs_ui_selection: false,
    nonce,
  })
  return { next: 'write', event: 'take_over', lease: taken, ifMatch: etag }
}
