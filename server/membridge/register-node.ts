import type { z } from 'zod'
import { registerAgentRequest } from '#contracts/membridge.contract.ts'
import type { registerNodeRequest } from '#contracts/node.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { registerAgent, removeAgent } from './register-agent.ts'

type Parts = Pick<Services, 'db'>

/** Registers the agent of a node under the node's id, as an existing client does over the wire; 409 when there is one. */
export async function registerNode(
  { db }: Parts,
  { node_id, url }: z.output<typeof registerNodeRequest>,
  caller: Caller,
): Promise<Result<{ node_id: string }>> {
  const made = await registerAgent({ db }, registerAgentRequest.parse({ name: node_id, url }), caller)
  return made.ok ? ok({ node_id }) : made
}

/** Removes the registration; 404 when there is none. The node stays known by its heartbeats and keys. */
export async function unregisterNode(
  { db }: Parts,
  { node_id }: { node_id: string },
  caller: Caller,
): Promise<Result<{ node_id: string }>> {
  const removed = await removeAgent({ db }, { name: node_id }, caller)
  return removed.ok ? ok({ node_id }) : removed
}
