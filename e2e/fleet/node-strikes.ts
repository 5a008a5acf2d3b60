import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { endOfGroup, isGroupLeft } from './process-group.ts'
import type { TaskNode } from './task-node.ts'

export type Struck = {
  killed: number
  stopped: number
  stoppedLong: number
  groupsLost: number
  lastEndMs: number
}

/** Longer than a lease. */
const LONG_MS = { least: 36_000, more: 10_000 }
const SHORT_MS = { least: 500, more: 6_000 }
const AWAY_MS = { least: 200, more: 4_000 }
const BETWEEN_MS = { least: 1_000, more: 3_000 }
/** What a killed node leaves has to be gone by then. */
const GROUP_MS = 5_000

/** Hits one node after another until it is told to end: mostly kills, which a service would start again, and stops that are shorter or longer than a lease. */
export async function strikeNodes(
  nodes: readonly TaskNode[],
  { random, isOver, struck }: { random: () => number; isOver: () => boolean; struck: Struck },
): Promise<void> {
  const between = ({ least, more }: { least: number; more: number }) => least + random() * more
  const wait = async (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until && !isOver(); ) await pause(100)
  }
  let last: TaskNode | undefined
  while (!isOver()) {
    await wait(between(BETWEEN_MS))
    if (isOver()) return
    const others = nodes.length > 1 ? nodes.filter((node) => node !== last) : nodes
    const node = others[Math.floor(random() * others.length)] as TaskNode
    last = node
    const chance = random()
    if (chance < 0.5) {
      const groups = groupsOf(node).filter(isGroupLeft)
      const began = performance.now()
      await node.kill()
      struck.killed++
      for (const group of groups) {
        const ended = await endOfGroup(group, GROUP_MS)
        struck.groupsLost++
        struck.lastEndMs = Math.max(struck.lastEndMs, (ended ?? Number.POSITIVE_INFINITY) - began)
      }
      await wait(between(AWAY_MS))
      node.start()
    } else {
      const isLong = chance > 0.8
      process.kill(node.pid, 'SIGSTOP')
      struck[isLong ? 'stoppedLong' : 'stopped']++
      await wait(between(isLong ? LONG_MS : SHORT_MS))
      node.resume()
    }
  }
}

/** The process groups of every program that the node has started. */
export function groupsOf({ home }: TaskNode): number[] {
  const folder = path.join(home, 'groups')
  return fs.existsSync(folder) ? fs.readdirSync(folder).map(Number) : []
}
