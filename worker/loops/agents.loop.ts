import { syncAgents } from '#server/agents/sync-agents.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 2_000

/** Brings the ledger's agents up to the garden whenever its head has moved, by whatever hand. */
export function agentsLoop(parts: Pick<Services, 'db' | 'garden'>): Loop {
  let seen: string | null = null
  return {
    name: 'agents',
    everyMs: EVERY_MS,
    on: ['apply'],
    async tick() {
      const head = await parts.garden.head()
      if (head === seen) return 'idle'
      seen = (await syncAgents(parts)).head
      return 'idle'
    },
  }
}
