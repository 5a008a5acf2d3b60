import { z } from 'zod'
import { readCount, readReportedTime } from '#domain/membridge/heartbeat.rules.ts'
import { isCanonicalId, isName, isNodeId, NODE_ID_FORM } from '#domain/membridge/identity.rules.ts'
import { SYNC_ACTIONS, type SyncState, syncMachine } from '#domain/membridge/sync.machine.ts'
import { agentUrl } from './agent-url.contract.ts'

/**
 * The wire of the Membridge Control Plane as its existing clients speak it ([membridge#wire]). Times are seconds since 1970, fractions allowed.
 * Requests leave out what they do not know; answers have exactly the fields named here.
 */
const seconds = z.number()

const name = z.string().trim().refine(isName, 'must be one line of 1 to 128 characters')
const nodeId = z.string().trim().refine(isNodeId, NODE_ID_FORM)
const canonicalId = z
  .string()
  .trim()
  .refine(isCanonicalId, 'must be 1 to 64 letters, digits, ".", "_" or "-", and not dots alone')

/** A text that a node may leave out, send as null, or send empty: nothing new is known then. */
const known = <T extends z.ZodType<string>>(text: T) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? null : value), text.nullish())

const count = z
  .unknown()
  .optional()
  .transform((value, context) => {
    const read = readCount(value)
    if (read !== undefined) return read
    context.addIssue('must be a number')
    return z.NEVER
  })

export const heartbeatRequest = z.object({
  node_id: nodeId,
  canonical_id: canonicalId,
  obs_count: count,
  db_sha: known(z.string().trim().max(128)),
  project_id: known(name),
  agent_version: known(z.string().trim().max(64)),
  ip_addrs: z
    .array(z.string().trim().max(64))
    .max(64)
    .nullish()
    .transform((addresses) => addresses ?? []),
  /** Only a plain `false` says that the node was set to do without leadership. */
  leadership_enabled: z
    .unknown()
    .optional()
    .transform((enabled) => enabled !== false),
  /** What the node says of its time, in any form; kept as JSON and otherwise ignored. */
  last_seen: z.unknown().optional().transform(readReportedTime),
})
export type Heartbeat = z.output<typeof heartbeatRequest>

const role = z.enum(['primary', 'secondary', 'unknown'])
const lease = {
  lease_state: z.enum(['absent', 'valid', 'expired', 'unreadable']),
  epoch: z.number().int().nullable(),
  term: z.number().int().nullable(),
}

export const heartbeatAnswer = z
  .object({ ok: z.literal(true), role, canonical_id: z.string(), ...lease })
  .strict()
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswer>

export const registerProjectRequest = z.object({ name })

export const projectView = z
  .object({
    name: z.string(),
    canonical_id: z.string(),
    created_at: seconds.nullable(),
    /** When a node of it was last heard. */
    last_seen: seconds.nullable(),
    nodes_count: z.number().int(),
    source: z.enum(['manual', 'heartbeat']),
  })
  .strict()
export type ProjectView = z.infer<typeof projectView>

const capabilities = z.object({
  claude_cli: z.boolean().default(false),
  max_concurrency: z.number().int().min(0).max(1_000).default(1),
  labels: z.array(z.string().trim().min(1).max(64)).max(64).default([]),
})

export const registerAgentRequest = z.object({
  name,
  url: agentUrl.nullish().transform((url) => url ?? null),
  status: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .nullish()
    .transform((status) => status ?? 'unknown'),
  capabilities: capabilities.nullish().transform((given) => given ?? capabilities.parse({})),
})
export type AgentRegistration = z.output<typeof registerAgentRequest>

export const agentView = z
  .object({
    name: z.string(),
    url: z.string().nullable(),
    /** `online` or `offline` once it has been heard; what its registration said before that. */
    status: z.string(),
    registered_at: seconds,
    last_seen: seconds.nullable(),
    capabilities: capabilities.strict(),
    agent_version: z.string().nullable(),
  })
  .strict()
export type AgentView = z.infer<typeof agentView>
export type Capabilities = AgentView['capabilities']

/** A registration by its name, as it stands in an address. */
export const nameRef = z.object({ name: z.string() })
export const projectRef = z.object({ cid: z.string() })

export const nodeView = z
  .object({
    node_id: z.string(),
    canonical_id: z.string(),
    role,
    obs_count: z.number().int().nullable(),
    db_sha: z.string().nullable(),
    /** The server's clock at its last heartbeat. */
    last_seen: seconds,
    ip_addrs: z.array(z.string()),
    registered_at: seconds,
    project_id: z.string().nullable(),
    agent_version: z.string().nullable(),
    online: z.boolean(),
  })
  .strict()
export type NodeView = z.infer<typeof nodeView>

const syncStatus = z.enum(syncMachine.states as readonly [SyncState, ...SyncState[]])

export const syncView = z
  .object({
    id: z.string(),
    kind: z.literal('sync'),
    action: z.enum(SYNC_ACTIONS),
    status: syncStatus,
    project: z.string(),
    agent: z.string(),
    canonical_id: z.string(),
    detail: z.string().nullable(),
    stdout: z.string().nullable(),
    stderr: z.string().nullable(),
    returncode: z.number().int().nullable(),
    dryrun: z.boolean().nullable(),
    created_at: seconds,
    finished_at: seconds.nullable(),
    request_id: z.string().nullable(),
  })
  .strict()
export type SyncView = z.infer<typeof syncView>

/** Which syncs, newest first. */
export const syncListRequest = z.object({
  status: syncStatus.optional(),
  project: name.optional(),
  cursor: z.string().max(256).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type SyncList = z.output<typeof syncListRequest>

/** A sync by names, as existing clients ask for it. */
export const syncAskedRequest = z.object({ project: name, agent: name })

export const syncAnswer = z
  .object({
    /** False when the node itself reports a failure. */
    ok: z.boolean(),
    project: z.string(),
    agent: z.string(),
    canonical_id: z.string(),
    detail: z.string(),
    job_id: z.string(),
  })
  .strict()
export type SyncAnswer = z.infer<typeof syncAnswer>
