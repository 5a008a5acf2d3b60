/**
 * What making a node primary would cost, from what is known of a project ([membridge#preflight]). Observations are counted, not compared, so a loss is
 * at least what is named here; where a count is missing nobody knows it, and not knowing is treated as a loss.
 */
import type { LeaseState } from '../leadership/leadership-lease.machine.ts'
import type { LockState } from '../leadership/push-lock.machine.ts'

/** A promotion and an override say why, in so many characters at least. */
export const REASON_MIN = 3

type NodeFacts = { readonly node_id: string; readonly obs_count: number | null; readonly online: boolean }

/** `sha256: null` in a present one fences only: nothing was pushed yet. */
type PointerFacts = {
  readonly state: 'absent' | 'present' | 'unreadable'
  readonly sha256: string | null
  readonly observations: number | null
}

/** The part of a project's leadership that decides; nobody is primary where there is no lease, or none can be read. */
export type LeadershipFacts = {
  readonly lease_state: LeaseState
  readonly primary_node_id: string | null
  readonly lock: { readonly state: LockState | 'unreadable'; readonly node_id: string | null }
  readonly pointer: PointerFacts
  readonly nodes: readonly NodeFacts[]
}

/** Why a loss cannot be told: whose count is missing, or that the lease does not say who was primary. */
export type UnknownCount = 'primary' | 'pointer' | 'target' | 'holder'

/** Why the promotion is refused without `force`. */
export type ForceReason = 'push_in_flight' | 'lock_unreadable' | 'lease_unreadable'

export type Preflight = {
  readonly target: string
  /** The primary that loses its role; null where there is none, or the target is it. */
  readonly outgoing: (NodeFacts & { readonly known: boolean }) | null
  readonly isPrimaryAlready: boolean
  readonly isTargetKnown: boolean
  readonly isTargetOnline: boolean
  /** Records of the outgoing primary that were never pushed: they stay on that machine. */
  readonly unpushed: number
  /** Records of the last push that the target does not have. */
  readonly missing: number
  readonly unknown: readonly UnknownCount[]
  /** Other nodes that hold more records than the target, the fullest first. */
  readonly fuller: readonly { readonly node_id: string; readonly obs_count: number }[]
  readonly force: ForceReason | null
  readonly needsStepUp: boolean
}

/** What is lost as one number: null where it is not known. */
export const lossOf = ({ unpushed, missing, unknown }: Preflight): number | null =>
  unknown.length > 0 ? null : unpushed + missing

/** True when a person accepted this loss: a known one up to the number shown, an unknown one as unknown (`null`). */
export function isLossAccepted(preflight: Preflight, accepted: number | null): boolean {
  const loss = lossOf(preflight)
  return loss === null ? accepted === null : loss === 0 || (accepted !== null && loss <= accepted)
}

export function preflightPromotion(facts: LeadershipFacts, target: string): Preflight {
  const primaryId = facts.primary_node_id
  const to = facts.nodes.find((node) => node.node_id === target)
  const isPrimaryAlready = primaryId === target
  const counts = isPrimaryAlready ? NOTHING_LOST : countLoss(facts, primaryId, to?.obs_count ?? null)
  const force = forceReason(facts, target)
  return {
    target,
    outgoing: primaryId === null || isPrimaryAlready ? null : nodeOf(facts, primaryId),
    isPrimaryAlready,
    isTargetKnown: to !== undefined,
    isTargetOnline: to?.online ?? false,
    ...counts,
    fuller: fullerThan(facts, target, to?.obs_count ?? 0),
    force,
    needsStepUp: force !== null || counts.unknown.length > 0 || counts.unpushed + counts.missing > 0,
  }
}

type Counts = Pick<Preflight, 'unpushed' | 'missing' | 'unknown'>
const NOTHING_LOST: Counts = { unpushed: 0, missing: 0, unknown: [] }

function countLoss(facts: LeadershipFacts, primaryId: string | null, target: number | null): Counts {
  const pushed = pushedCount(facts)
  const primaryCount = primaryId === null ? 0 : nodeOf(facts, primaryId).obs_count
  const unknown: UnknownCount[] = []
  if (facts.lease_state === 'unreadable') unknown.push('holder')
  if (primaryCount === null) unknown.push('primary')
  if (pushed === null) unknown.push('pointer')
  if (target === null && pushed !== 0) unknown.push('target')
  return {
    unpushed: pushed === null || primaryCount === null ? 0 : Math.max(0, primaryCount - pushed),
    missing: pushed === null || target === null ? 0 : Math.max(0, pushed - target),
    unknown,
  }
}

/** How many records the last push holds: none before the first, null where the pointer does not say or cannot be read. */
function pushedCount({ pointer }: Pick<LeadershipFacts, 'pointer'>): number | null {
  if (pointer.state === 'unreadable') return null
  return pointer.sha256 === null ? 0 : pointer.observations
}

function nodeOf({ nodes }: LeadershipFacts, nodeId: string): NodeFacts & { known: boolean } {
  const node = nodes.find((one) => one.node_id === nodeId)
  return node ? { ...node, known: true } : { node_id: nodeId, obs_count: null, online: false, known: false }
}

const fullerThan = ({ nodes }: LeadershipFacts, target: string, count: number): Preflight['fuller'] =>
  nodes
    .flatMap(({ node_id, obs_count }) =>
      node_id !== target && obs_count !== null && obs_count > count ? [{ node_id, obs_count }] : [],
    )
    .toSorted((a, b) => b.obs_count - a.obs_count)

/** As [leadership#selection] decides: a lock that names no node is taken for the primary's; the same holder interrupts nobody. */
function forceReason(
  { lease_state, primary_node_id: primary, lock }: LeadershipFacts,
  target: string,
): ForceReason | null {
  if (lease_state === 'unreadable') return 'lease_unreadable'
  if (primary === null || primary === target) return null
  if (lock.state === 'unreadable') return 'lock_unreadable'
  const isOfPrimary = lock.node_id === null || lock.node_id === primary
  return lock.state === 'active' && isOfPrimary ? 'push_in_flight' : null
}

/** How many more records a node reports than the last push holds; negative where fewer, null where either is not known. */
export function aheadOfPointer(facts: Pick<LeadershipFacts, 'pointer'>, count: number | null): number | null {
  const pushed = pushedCount(facts)
  return pushed === null || count === null ? null : count - pushed
}
