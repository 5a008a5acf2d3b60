import { syncAgents } from '#server/agents/sync-agents.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 2_000

/**
 * Brings the ledger's agents up to the garden whenever its head has moved, by whatever hand: right after the Apply Engine has recorded a commit that
 * touches an agent, otherwise by its own look, and never while a commit is being made.
 */
export function agentsLoop(parts: Pick<Services, 'db' | 'garden'>): Loop {
  let seen: string | null = null
  return {
    name: 'agents',
    everyMs: EVERY_MS,
    on: ['agents'],
    async tick() {
      const head = await parts.garden.head()
      if (head === seen) return 'idle'
      seen = (await syncAgents(parts, { since: seen })).head
      return 'idle'
    },
  }
}
