/** The programmes of the bench by name; each is loaded when it is run. */
import type { Figures } from './figures.ts'

export type Programme = (figures: Figures) => Promise<void>

export const programmes: Record<string, { load: () => Promise<Programme> }> = {
  queue: { load: async () => (await import('./queue.ts')).benchQueue },
  'job-cost': { load: async () => (await import('./job-cost.ts')).benchJobCost },
  workers: { load: async () => (await import('./workers.ts')).benchWorkers },
  cpu: { load: async () => (await import('./cpu.ts')).benchCpu },
  plans: { load: async () => (await import('./queue-plans.ts')).benchQueuePlans },
  'list-plans': { load: async () => (await import('./list-plans.ts')).benchListPlans },
  lists: { load: async () => (await import('./lists.ts')).benchLists },
  rules: { load: async () => (await import('./rules.ts')).benchRules },
  starts: { load: async () => (await import('./starts.ts')).benchStarts },
  sizes: { load: async () => (await import('./page-sizes.ts')).benchPageSizes },
  events: { load: async () => (await import('./event-to-page.ts')).benchEventToPage },
  decisions: { load: async () => (await import('./decision-to-commit.ts')).benchDecisionToCommit },
  memory: { load: async () => (await import('./memory.ts')).benchMemory },
  vitals: { load: async () => (await import('./vitals.ts')).benchVitals },
  deciding: { load: async () => (await import('./deciding.ts')).benchDeciding },
  tasks: { load: async () => (await import('./tasks.ts')).benchTasks },
  'control-plane': { load: async () => (await import('./control-plane.ts')).benchControlPlane },
  peers: { load: async () => (await import('./peers.ts')).benchPeers },
}

/** Names for several of them. */
export const groups: Record<string, readonly string[]> = {
  /** All but the peers, who have figures of the queue in them again. */
  all: Object.keys(programmes).filter((name) => name !== 'peers'),
  product: ['starts', 'sizes', 'events', 'decisions', 'memory'],
}
