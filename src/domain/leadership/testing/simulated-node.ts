import { pushVerdict } from '../fence.rules.ts'
import { type Known, NOTHING_KNOWN } from '../known-terms.rules.ts'
import { resolveRole } from '../lease-protocol.ts'
import { lookAtPointer } from '../pointer-object.ts'
import { type Protocol, perform } from '../protocol-effects.ts'
import type { PendingPush, PushOutcome } from '../push-outcome.ts'
import { push } from '../push-protocol.ts'
import type { NodeIdentity } from '../role.rules.ts'
import { SimulatedProcess, type World } from './process.ts'
import { CANONICAL_ID, FAULTS, LEASE_SECONDS, LOCK } from './settings.ts'

/** A Worker Node: pushes, looks at its leadership, is killed and started again; its state file outlives it. */
export type NodePlan = {
  nodeId: string
  hostname: string
  primaryNodeId: string | null
  leadership: boolean
  allowSecondary: boolean
  force: boolean
}

export class SimulatedNode {
  readonly #plan: NodePlan
  readonly #process: SimulatedProcess
  readonly #world: World
  readonly #identity: NodeIdentity
  #known: Known = NOTHING_KNOWN
  #pending: PendingPush | null = null

  constructor(world: World, plan: NodePlan) {
    this.#world = world
    this.#plan = plan
    this.#process = new SimulatedProcess(world, plan.nodeId, plan.hostname)
    this.#process.witness.leads = plan.leadership && !plan.allowSecondary
    this.#process.witness.isFenced = plan.leadership
    this.#process.witness.force = plan.force
    const { nodeId, primaryNodeId } = plan
    this.#identity = { nodeId, primaryNodeId, canonicalId: CANONICAL_ID, leaseSeconds: LEASE_SECONDS }
    this.#start()
    this.#jump()
  }

  #start(): void {
    const { dice, timeline, traffic } = this.#world
    this.#idle()
    timeline.after(-Math.log(1 - dice.next()) * FAULTS.killEvery, () => {
      this.#process.kill()
      traffic.kills++
      timeline.after(dice.between(1, 10), () => this.#start())
    })
  }

  /** The clock on the wall is set to something else. */
  #jump(): void {
    const { dice, timeline } = this.#world
    timeline.after(dice.between(5, 120), () => {
      this.#process.wallOffset = dice.between(-3600, 3600)
      this.#jump()
    })
  }

  #idle(): void {
    this.#process.after(this.#world.dice.between(0, 12), () => this.#next())
  }

  #next(): void {
    const { dice, referee } = this.#world
    if (this.#pending !== null) {
      const pending = this.#pending
      this.#process.run(lookForPush(pending), (verdict) => {
        if (verdict !== 'open') this.#resolved(pending, verdict)
        this.#push()
      })
    } else if (dice.chance(0.75)) {
      this.#push()
    } else {
      this.#process.run(resolveRole(this.#identity, this.#known), (standing) => {
        if (standing.role === 'primary') referee.reportedTerm(standing.term, standing.holder)
        this.#idle()
      })
    }
  }

  #resolved(pending: PendingPush, verdict: 'applied' | 'not_applied'): void {
    this.#pending = null
    this.#world.traffic.resolved++
    this.#world.referee.reports(this.#process.witness, verdict, pending.pushId)
  }

  #push(): void {
    const { leadership, allowSecondary, force, hostname } = this.#plan
    this.#world.traffic.pushes++
    const settings = {
      node: this.#identity,
      hostname,
      project: 'garden-seedling',
      lock: LOCK,
      known: this.#known,
      leadership,
      allowSecondary,
      force,
    }
    this.#process.run(push(settings), (outcome) => {
      this.#report(outcome)
      this.#idle()
    })
  }

  #report(end: PushOutcome): void {
    const { referee, traffic, timeline } = this.#world
    const { witness } = this.#process
    traffic[end.outcome]++
    if (end.lock !== 'unknown') referee.reportsNoLock(witness, timeline.now)
    if (end.outcome === 'pushed') referee.reportsMirror(({ push_id }) => push_id === end.pushId)
    if (end.outcome === 'up_to_date') referee.reportsMirror(({ sha256 }) => sha256 === end.sha256)
    if (end.outcome === 'unknown') {
      this.#pending = end.pending
    } else if (hasPushed(end)) {
      this.#known = { epoch: 0, term: end.term, holder: witness.leads ? witness.nodeId : null }
      referee.reports(witness, 'applied', end.pushId)
    } else {
      if (end.outcome === 'refused' && end.message === 'stale_term') this.#reportStale()
      referee.reports(witness, 'not_applied')
    }
  }

  #reportStale(): void {
    const { referee, traffic } = this.#world
    traffic.stale_term++
    if (referee.holderChanges === this.#process.witness.holderChangesAtStart)
      referee.find('stale without a change of holder')
  }
}

const hasPushed = (
  end: PushOutcome,
): end is Extract<PushOutcome, { pushId: string | null }> & { pushId: string } =>
  'pushId' in end && end.pushId !== null

function* lookForPush(pending: PendingPush): Protocol<ReturnType<typeof pushVerdict>> {
  const look = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
  return look.state === 'unreadable' ? 'open' : pushVerdict(look, pending)
}
