/** The nodes of the fleet as the console shows them ([membridge#nodes-in-the-console]): a node once, with all of its projects. */
import { z } from 'zod'
import { DEFAULT_KEY_DAYS, MAX_KEY_DAYS } from '#domain/machine-key/key-kinds.ts'
import { isCanonicalId, isName, isNodeId, NODE_ID_FORM } from '#domain/membridge/identity.rules.ts'
import { NODE_STATES } from '#domain/membridge/liveness.rules.ts'
import { SYNC_ACTIONS, type SyncState, syncMachine } from '#domain/membridge/sync.machine.ts'
import { keyView } from './key.contract.ts'
import { registerAgentRequest } from './membridge.contract.ts'

const nodeId = z.string().trim().refine(isNodeId, NODE_ID_FORM)
const projectName = z.string().trim().refine(isName, 'must be one line of 1 to 128 characters')
const time = z.iso.datetime()

export const nodeListRequest = z
  .object({
    state: z.enum(NODE_STATES).optional(),
    /** Canonical id of a project. */
    project: z.string().refine(isCanonicalId, 'must be a canonical id').optional(),
    /** A part of the node's id or of a project's name. */
    q: z.string().max(200).optional(),
    cursor: z.string().max(512).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type NodeList = z.output<typeof nodeListRequest>
export type NodeFilter = Omit<z.input<typeof nodeListRequest>, 'cursor' | 'limit'>

/** A project of a node, as the node describes it. */
export const nodeProject = z
  .object({
    canonical_id: z.string(),
    name: z.string().nullable(),
    obs_count: z.number().int().nullable(),
    db_sha: z.string().nullable(),
    last_seen: time,
    online: z.boolean(),
    role: z.enum(['primary', 'secondary', 'unknown']),
    /** False while its heartbeats say LEADERSHIP_ENABLED=0. */
    leadership_enabled: z.boolean(),
    /** When it pushed, if the newest push of the project is its own. */
    pushed_at: time.nullable(),
  })
  .strict()
export type NodeProject = z.infer<typeof nodeProject>

const nodeKey = keyView.pick({
  key_id: true,
  name: true,
  created_at: true,
  expires_at: true,
  last_used_at: true,
})
export type NodeKey = z.infer<typeof nodeKey>

export const fleetNode = z
  .object({
    node_id: z.string(),
    /** By the server's clock; `waiting`: it was added or registered and has not been heard. */
    state: z.enum(NODE_STATES),
    last_seen: time.nullable(),
    first_seen: time.nullable(),
    agent_version: z.string().nullable(),
    ip_addrs: z.array(z.string()),
    /** Its latest heartbeat came under the admin key. */
    admin_key: z.boolean(),
    projects: z.array(nodeProject),
    /** Its daemon's registration: where the control plane calls it. */
    agent: z.object({ url: z.string().nullable(), registered_at: time }).strict().nullable(),
    /** Its valid keys, newest first. */
    keys: z.array(nodeKey),
  })
  .strict()
export type FleetNode = z.infer<typeof fleetNode>
export const nodePage = z.object({ items: z.array(fleetNode), next_cursor: z.string().nullable() }).strict()

export const nodeRef = z.object({ node_id: nodeId }).strict()

/** A sync of a node in a line; its output is not among it. */
export const nodeSync = z
  .object({
    sync_id: z.string(),
    action: z.enum(SYNC_ACTIONS),
    status: z.enum(syncMachine.states as readonly [SyncState, ...SyncState[]]),
    project: z.string(),
    detail: z.string().nullable(),
    requested_by: z.string(),
    created_at: time,
    finished_at: time.nullable(),
  })
  .strict()
export type NodeSync = z.infer<typeof nodeSync>

/** A node with its newest syncs. */
export const nodeDetail = fleetNode.extend({ syncs: z.array(nodeSync) }).strict()
export type NodeDetail = z.infer<typeof nodeDetail>

/** How the fleet stands, and what the filters offer. */
export const nodeSummary = z
  .object({
    ...{ online: z.number().int(), offline: z.number().int(), waiting: z.number().int() },
    /** Nodes that are online under the admin key. */
    admin_key: z.number().int(),
    /** Projects that nodes have announced, by name. */
    projects: z.array(z.object({ canonical_id: z.string(), name: z.string() }).strict()),
  })
  .strict()
export type NodeSummary = z.infer<typeof nodeSummary>

export const addNodeRequest = z
  .object({
    node_id: nodeId,
    /** The project of the node's hooks. */
    project: projectName.optional(),
    expires_in_days: z.number().int().min(1).max(MAX_KEY_DAYS).nullable().default(DEFAULT_KEY_DAYS),
  })
  .strict()
export type AddNode = z.output<typeof addNodeRequest>

/** From where what the text names can be reached: from this machine alone, or from the network; `clear`: there without encryption. */
const reach = z.enum(['machine', 'clear', 'network'])
export type Reach = z.infer<typeof reach>

/** `config` is the text with the node's keys, shown this once; it can never be read again. */
export const addedNode = z
  .object({
    node_id: z.string(),
    key_id: z.string(),
    config: z.string(),
    store: z.object({ kind: z.enum(['folder', 's3']), reach }).strict(),
    server: z.object({ url: z.string(), reach }).strict(),
  })
  .strict()
export type AddedNode = z.infer<typeof addedNode>

export const registerNodeRequest = z.object({ node_id: nodeId, url: registerAgentRequest.shape.url }).strict()
