import type { Caller } from '#domain/authority/caller.ts'

/** The agent as the author of what its run does: not an owner, and never more than its definition allows. */
export const agentCaller = (slug: string): Caller => ({
  role: 'agent',
  identity: `agent:${slug}`,
  via: 'system',
})
