import { incidentsOf } from '../incident.rules.ts'
import { highestKnown, type Known, NOTHING_KNOWN } from '../known-terms.rules.ts'
import { type LeaseLook, lookAtLease } from '../lease-object.ts'
import { lookAtPointer, type PointerLook } from '../pointer-object.ts'
import { type Protocol, perform } from '../protocol-effects.ts'
import { finishSelection, selectPrimary } from '../selection-protocol.ts'
import { SimulatedProcess, type World } from './process.ts'
import { CANONICAL_ID, LEASE_SECONDS, LOCK, SCAN_SECONDS } from './settings.ts'

const ISSUED_BY = 'control-plane'

/** The control plane: persons select through it, and a scan finishes what was killed and looks for incidents. */
export class SimulatedControlPlane {
  readonly #world: World
  readonly #nodeIds: readonly string[]
  /** Whether a node of today takes part: only then may there be an incident. */
  readonly #isMixed: boolean
  #mirror: Known = NOTHING_KNOWN

  constructor(world: World, nodeIds: readonly string[], isMixed: boolean) {
    this.#world = world
    this.#nodeIds = nodeIds
    this.#isMixed = isMixed
    this.#scan(new SimulatedProcess(world, ISSUED_BY, ISSUED_BY))
  }

  #scan(process: SimulatedProcess): void {
    this.#world.timeline.after(SCAN_SECONDS, () => {
      // A scan that still waits for an answer is given up.
      process.kill()
      process.run(finishSelection(CANONICAL_ID, ISSUED_BY), () =>
        process.run(lookAround(), ([pointer, lease]) => this.#judge(pointer, lease)),
      )
      this.#scan(process)
    })
  }

  #judge(pointer: PointerLook, lease: LeaseLook): void {
    const incidents = incidentsOf(this.#mirror, lease, pointer)
    if (incidents.length > 0 && !this.#isMixed) this.#world.referee.find('incident without a cause')
    this.#world.traffic.incidents += incidents.length
    if (lease.state !== 'valid' && lease.state !== 'expired') return
    const { epoch, term, primary_node_id: holder } = lease.lease
    this.#mirror = highestKnown(this.#mirror, { epoch, term: term ?? 0, holder })
  }

  /** Some persons look at the leadership now, and each promotes a node some seconds later. */
  promote(persons: number): void {
    const { dice, timeline, store } = this.#world
    const shown = lookAtLease(store.read('lease', timeline.now))
    const epoch = shown.state === 'valid' || shown.state === 'expired' ? shown.lease.epoch : 0
    for (let person = 0; person < persons; person++) {
      const process = new SimulatedProcess(this.#world, ISSUED_BY, ISSUED_BY)
      process.witness.leads = false
      timeline.after(dice.between(0, 3), () => this.#select(process, dice.chance(0.6) ? epoch : null))
      if (dice.chance(0.25)) timeline.after(dice.between(0, 4), () => this.#kill(process))
    }
  }

  #kill(process: SimulatedProcess): void {
    this.#world.traffic.kills++
    process.kill()
  }

  #select(process: SimulatedProcess, expectedEpoch: number | null): void {
    const { dice, referee, traffic } = this.#world
    const selection = {
      canonicalId: CANONICAL_ID,
      primaryNodeId: dice.pick(this.#nodeIds),
      leaseSeconds: LEASE_SECONDS,
      issuedBy: ISSUED_BY,
      expectedEpoch,
      force: dice.chance(0.5),
      reason: 'a drill',
    }
    process.run(selectPrimary(selection, LOCK, this.#mirror), (end) => {
      if (end.outcome === 'unknown') return
      if (end.outcome === 'refused') {
        traffic[end.code]++
        return referee.reports(process.witness, 'not_applied')
      }
      referee.reports(process.witness, 'applied', end.lease.nonce ?? undefined)
      referee.selected(end.lease, end.fenced, expectedEpoch)
    })
  }
}

/** The pointer first: a term that is fenced between the two reads is then no incident. */
function* lookAround(): Protocol<[PointerLook, LeaseLook]> {
  const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
  const lease = lookAtLease(yield* perform({ effect: 'read', object: 'lease' }))
  return [pointer, lease]
}
