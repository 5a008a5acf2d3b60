import type { z } from 'zod'
import { registerAgentRequest } from '#contracts/membridge.contract.ts'
import type { registerNodeRequest } from '#contracts/node.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { addressFault, IN_CLEAR } from './node-address.ts'
import { registerAgent, removeAgent } from './register-agent.ts'

type Parts = Pick<Services, 'db'> & { env: { ALLOW_INSECURE_LAN: boolean } }

/**
 * Registers the agent of a node under the node's id, as an existing client does over the wire; 409 when there is one. An address that no call
 * would go to is refused here, where the person can put it right.
 */
export async function registerNode(
  { db, env }: Parts,
  { node_id, url }: z.output<typeof registerNodeRequest>,
  caller: Caller,
): Promise<Result<{ node_id: string }>> {
  const fault = url === null ? null : addressFault(url, env)
  if (fault) return notCallable(fault)
  const made = await registerAgent({ db }, registerAgentRequest.parse({ name: node_id, url }), caller)
  return made.ok ? ok({ node_id }) : made
}

function notCallable(message: string): Result<never> {
  const reason = message === IN_CLEAR ? 'address_in_clear' : 'address_not_callable'
  return refuse({ code: 'VALIDATION_FAILED', message, details: [{ field: 'url', message, reason }] })
}

/** Removes the registration; 404 when there is none. The node stays known by its heartbeats and keys. */
export async function unregisterNode(
  { db }: Pick<Services, 'db'>,
  { node_id }: { node_id: string },
  caller: Caller,
): Promise<Result<{ node_id: string }>> {
  const removed = await removeAgent({ db }, { name: node_id }, caller)
  return removed.ok ? ok({ node_id }) : removed
}
