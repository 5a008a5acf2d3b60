import { SimulatedControlPlane } from './control-plane.ts'
import { type Dice, diceOf } from './dice.ts'
import { ModelStore } from './model-store.ts'
import type { Sabotage, World } from './process.ts'
import { Referee, type Violation } from './referee.ts'
import { ROUND_SECONDS } from './settings.ts'
import { type NodePlan, SimulatedNode } from './simulated-node.ts'
import { Timeline } from './timeline.ts'
import { startTodayNode } from './today-node.ts'
import { noTraffic, type Traffic, tooLittle } from './traffic.ts'

/**
 * Rounds of a fleet in virtual time ([leadership#simulation]): two or three nodes, persons who promote, a store whose clock is off and which
 * fails, loses answers and applies late. The nodes run the protocols of this folder, effect by effect. A round is made from its seed alone.
 */
export type SimulationReport = {
  rounds: number
  traffic: Traffic
  /** How often each was found, and the seed of the first round in which it was. */
  violations: Map<Violation, { count: number; seed: number }>
  /** What there was too little of. */
  invalid: string[]
}

export type SimulationOptions = {
  seed: number
  rounds: number
  sabotage?: () => Sabotage
  /** Ends the run once this was found. */
  until?: Violation
  progress?: (rounds: number) => void
}

/** Runs so many rounds, each with a seed of its own after the first. */
export function simulate({ seed, rounds, sabotage, until, progress }: SimulationOptions): SimulationReport {
  const traffic = noTraffic()
  const violations: SimulationReport['violations'] = new Map()
  for (let round = 0; round < rounds; round++) {
    const found = simulateRound(seed + round, traffic, sabotage?.() ?? null)
    for (const [violation, count] of found) {
      const before = violations.get(violation) ?? { count: 0, seed: seed + round }
      violations.set(violation, { ...before, count: before.count + count })
    }
    progress?.(round + 1)
    if (until && violations.has(until)) break
  }
  return { rounds: traffic.rounds, traffic, violations, invalid: tooLittle(traffic) }
}

/** One round; its events are added to the traffic. What a node of today did is not held against ours. */
export function simulateRound(
  seed: number,
  traffic: Traffic,
  sabotage: Sabotage | null,
): Map<Violation, number> {
  const dice = diceOf(Math.imul(seed, 0x9e3779b1))
  const store = new ModelStore(dice.between(-3600, 3600))
  const referee = new Referee(store)
  const world: World = { dice, store, referee, traffic, sabotage, timeline: new Timeline(), nonces: 0 }
  const isMixed = dice.chance(0.05)
  const plans = fleetOf(dice)
  for (const plan of plans) new SimulatedNode(world, plan)
  const nodeIds = [...new Set(plans.map(({ nodeId }) => nodeId))]
  const plane = new SimulatedControlPlane(world, nodeIds, isMixed)
  if (isMixed) startTodayNode(world, 'today')
  for (let promotions = Math.floor(dice.between(0, 4)); promotions > 0; promotions--)
    world.timeline.after(dice.between(10, ROUND_SECONDS), () => plane.promote(dice.chance(0.3) ? 2 : 1))
  world.timeline.runUntil(ROUND_SECONDS)
  traffic.rounds++
  return isMixed ? new Map() : referee.found
}

/** Two or three nodes, sometimes a second process of the first one, with every way to set `PRIMARY_NODE_ID`. */
function fleetOf(dice: Dice): NodePlan[] {
  const names = dice.chance(0.5) ? ['alder', 'birch'] : ['alder', 'birch', 'cedar']
  const configured = dice.pick(['none', 'one', 'all', 'second', 'each'] as const)
  const primaryOf = (name: string): string | null => {
    if (configured === 'all' || (configured === 'one' && name === 'alder')) return 'alder'
    if (configured === 'each' || (configured === 'second' && name === 'birch')) return name
    return null
  }
  const processes = dice.chance(0.3) ? [...names, 'alder'] : names
  return processes.map((nodeId) => ({
    nodeId,
    hostname: `${nodeId}.local`,
    primaryNodeId: primaryOf(nodeId),
    leadership: !dice.chance(0.03),
    allowSecondary: dice.chance(0.07),
    force: dice.chance(0.05),
  }))
}
