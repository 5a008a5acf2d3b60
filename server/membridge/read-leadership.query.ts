import type { LeadershipView } from '#contracts/leadership.contract.ts'
import { type NodeView, nodeView } from '#contracts/membridge.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { LeaseLook } from '#domain/leadership/lease-object.ts'
import type { LeadershipLook } from '#domain/leadership/selection-protocol.ts'
import type { Services } from '#server/services.ts'
import { readObjects } from './leadership-protocol.ts'
import { leaseViewOf, lockViewOf, pointerViewOf } from './leadership-view.ts'
import { knownBefore, writeMirror } from './lease-mirror.ts'
import { listNodes } from './list-nodes.query.ts'
import { preferredPrimary } from './preferred-primary.query.ts'

type Parts = Pick<Services, 'db' | 'store' | 'log'>

/**
 * Leadership of a project as the store has it at this moment; the mirror follows. A lease or pointer that cannot be read is refused with
 * `LEASE_UNKNOWN`, what is known beside it, and the nodes: never shown as none.
 */
export async function readLeadership(
  services: Parts,
  { cid }: { cid: string },
): Promise<Result<LeadershipView>> {
  const before = await knownBefore(services.db, cid)
  const look = await readObjects(services, cid)
  await writeMirror(services.db, before, look)
  const nodes = await listNodes(services, { cid })
  const { lease, pointer, lock } = look
  if (lease.state === 'unreadable') return unreadable('lease.json', lease.reason, { look, nodes })
  if (pointer.state === 'unreadable') return unreadable('manifest.json', pointer.reason, { look, nodes })
  return ok({
    canonical_id: cid,
    preferred_primary: await preferredPrimary(services, cid),
    node_count: nodes.length,
    nodes,
    ...leaseFields(lease, cid),
    needs_ui_selection: needsSelection(lease, nodes),
    lock: lockViewOf(lock),
    pointer: pointerViewOf(pointer),
  })
}

function leaseFields(look: Exclude<LeaseLook, { state: 'unreadable' }>, cid: string) {
  if (look.state === 'absent')
    return { lease: null, lease_state: look.state, epoch: null, term: null, ttl_seconds: null }
  const { lease, remaining, state } = look
  return {
    ...{ lease: leaseViewOf(lease, cid), lease_state: state, epoch: lease.epoch, term: lease.term },
    ttl_seconds: Math.max(0, remaining),
  }
}

/** The lease says so, or it has expired and its holder is not there to renew it. */
function needsSelection(look: LeaseLook, nodes: readonly NodeView[]): boolean {
  if (look.state !== 'valid' && look.state !== 'expired') return false
  const { needs_ui_selection, primary_node_id } = look.lease
  if (needs_ui_selection) return true
  const holder = nodes.find(({ node_id }) => node_id === primary_node_id)
  return look.state === 'expired' && !holder?.online
}

function unreadable(
  name: string,
  reason: string,
  { look, nodes }: { look: LeadershipLook; nodes: NodeView[] },
): Result<never> {
  return refuse({
    code: 'LEASE_UNKNOWN',
    message: `${name} unreadable: ${reason}`,
    details: { lease_state: look.lease.state, nodes: nodes.map((node) => nodeView.parse(node)) },
  })
}
