/**
 * What the console and its API show people of the Membridge Control Plane ([membridge#gateway]): the views of its wire with times as everywhere else in the product.
 */
import { z } from 'zod'
import { isCanonicalId, isName } from '#domain/membridge/identity.rules.ts'
import { SYNC_ACTIONS } from '#domain/membridge/sync.machine.ts'
import { jobReason } from './job.contract.ts'
import {
  agentView,
  nodeView,
  projectView,
  registerAgentRequest,
  registerProjectRequest,
  syncListRequest,
  syncView,
} from './membridge.contract.ts'

const time = z.iso.datetime()
const name = z.string().trim().refine(isName, 'must be one line of 1 to 128 characters')

export const registeredProject = projectView.extend({
  created_at: time.nullable(),
  last_seen: time.nullable(),
})
export const registeredAgent = agentView.extend({ registered_at: time, last_seen: time.nullable() })
export const projectNode = nodeView.extend({ last_seen: time, registered_at: time })
export const nodeSync = syncView.extend({ created_at: time, finished_at: time.nullable() })
export type RegisteredProject = z.infer<typeof registeredProject>
export type RegisteredAgent = z.infer<typeof registeredAgent>
export type ProjectNode = z.infer<typeof projectNode>
export type NodeSync = z.infer<typeof nodeSync>

export const projectList = z.object({ items: z.array(registeredProject) }).strict()
export const agentList = z.object({ items: z.array(registeredAgent) }).strict()
export const projectNodes = z.object({ items: z.array(projectNode) }).strict()
export const syncPage = z.object({ items: z.array(nodeSync), next_cursor: z.string().nullable() }).strict()

export const newProject = registerProjectRequest.strict()
export const newAgent = registerAgentRequest.strict()
export const registration = z.object({ name }).strict()
export const nodesOfProject = z
  .object({ cid: z.string().refine(isCanonicalId, 'must be a canonical id') })
  .strict()
export const syncList = syncListRequest.strict()
export const syncRef = z.object({ sync_id: z.string().regex(/^[0-9a-f]{16}$/) }).strict()

/** A push or a pull of a node, by the names of project and agent, with why. */
export const askSyncRequest = z
  .object({
    action: z.enum(SYNC_ACTIONS),
    project: name,
    agent: name,
    reason: jobReason,
  })
  .strict()
export type AskSync = z.infer<typeof askSyncRequest>
