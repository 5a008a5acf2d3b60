import { textOf } from '../json-fields.ts'
import { lookAtLease } from '../lease-object.ts'
import type { FencedObject } from '../protocol-effects.ts'
import type { World } from './process.ts'
import { CANONICAL_ID, LEASE_SECONDS } from './settings.ts'

/** A node of today: reads, then writes without a condition, knows no term, and takes what it cannot read for absent. */
export function startTodayNode(world: World, nodeId: string): void {
  const { dice, store, timeline, traffic } = world
  const put = (object: FencedObject, text: string) => {
    traffic.today_writes++
    store.put(object, text, timeline.now)
  }
  const work = () => {
    const look = lookAtLease(store.read('lease', timeline.now))
    const knows = (look.state === 'valid' || look.state === 'expired') && dice.chance(0.7)
    const now = store.clock(timeline.now)
    const lease = {
      canonical_id: CANONICAL_ID,
      primary_node_id: nodeId,
      issued_at: now,
      expires_at: now + LEASE_SECONDS,
      lease_seconds: LEASE_SECONDS,
      epoch: knows ? look.lease.epoch + 1 : 1,
      policy: 'primary_authoritative',
      issued_by: nodeId,
      needs_ui_selection: false,
    }
    if (!knows || look.state === 'expired') put('lease', textOf(lease))
    if (dice.chance(0.1)) put('lease', textOf(lease).slice(0, 40))
    const sha256 = `today-${timeline.now}`
    put(
      'pointer',
      textOf({ project: 'garden-seedling', canonical_id: CANONICAL_ID, sha256, observations: 1 }),
    )
    timeline.after(dice.between(15, 50), work)
  }
  timeline.after(dice.between(20, 60), work)
}
