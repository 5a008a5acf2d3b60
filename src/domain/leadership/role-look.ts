import type { Known } from './known-terms.rules.ts'
import { highestKnown, knownFromPointer } from './known-terms.rules.ts'
import { lookAtLease } from './lease-object.ts'
import { lookAtPointer } from './pointer-object.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { decideRole, type NodeIdentity, type RoleDecision, type RoleWarning } from './role.rules.ts'

/**
 * The role of a node, found by looking alone ([leadership#role]): nothing is written, so it needs no store that keeps conditions. Where
 * the rules would write a lease, the role is the one that this write would give. Nobody may push on it: only `resolveRole` gives a term.
 */
export type RoleLook =
  | { role: 'unknown'; reason: string }
  | { role: 'primary' | 'secondary'; holder: string; warning: RoleWarning }

/** Reads pointer and lease, an expired lease of another node twice. */
export function* lookAtRole(node: NodeIdentity, ownKnown: Known): Protocol<RoleLook> {
  for (let expiredLooks = 0; ; expiredLooks++) {
    const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
    if (pointer.state === 'unreadable') return { role: 'unknown', reason: `manifest.json: ${pointer.reason}` }
    const startedAt = yield* perform({ effect: 'monotonic' })
    const look = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
    const known = highestKnown(ownKnown, knownFromPointer(pointer))
    const unwritten = { nonce: '', mayRenewEarly: false }
    const decision = decideRole({ look, node, known, startedAt, expiredLooks, ...unwritten })
    if (decision.next !== 'look_again') return roleOf(decision, node)
    yield* perform({ effect: 'wait', seconds: decision.seconds })
  }
}

function roleOf(decision: Exclude<RoleDecision, { next: 'look_again' }>, { nodeId }: NodeIdentity): RoleLook {
  if (decision.next === 'unknown') return { role: 'unknown', reason: decision.reason }
  if (decision.next !== 'write')
    return { role: decision.next, holder: decision.holder, warning: decision.warning }
  const holder = decision.lease.primary_node_id
  return { role: holder === nodeId ? 'primary' : 'secondary', holder, warning: null }
}
