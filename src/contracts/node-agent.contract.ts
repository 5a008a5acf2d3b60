import { z } from 'zod'
import { isCanonicalId, isName } from '#domain/membridge/identity.rules.ts'

/**
 * The wire of the agent that runs on every Worker Node, as its existing callers speak it ([edge#agent]). Times are epoch seconds. Requests leave
 * out what they do not know; an answer has at least the fields named here.
 */
const name = z.string().trim().refine(isName, 'must be one line of 1 to 128 characters')
const canonicalId = z
  .string()
  .trim()
  .refine(isCanonicalId, 'must be 1 to 64 letters, digits, ".", "_" or "-", and not dots alone')
const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'must be one line')
    .nullish()

export const nodeRegistrationRequest = z.object({
  project_id: name,
  canonical_id: canonicalId.nullish(),
  path: line(4_096),
  notes: line(2_000),
})
export type NodeRegistration = z.output<typeof nodeRegistrationRequest>

export const nodeRegistrationAnswer = z.object({
  ok: z.literal(true),
  project_id: z.string(),
  canonical_id: z.string(),
  projects_count: z.number().int(),
})
export type NodeRegistrationAnswer = z.infer<typeof nodeRegistrationAnswer>

export const nodeProjectRequest = z.object({ project: name })

export const nodeSyncRequest = z.object({
  project: name,
  /** Whether a pull leaves the worker of claude-mem stopped; a push never touches it. */
  no_restart_worker: z
    .boolean()
    .nullish()
    .transform((value) => value ?? true),
})

export const NODE_ACTIONS = ['push', 'pull', 'doctor'] as const
export type NodeAction = (typeof NODE_ACTIONS)[number]

/** How a command of the node ended. `returncode` is null when it was not run, or did not end by itself. */
export const nodeCommandAnswer = z.object({
  ok: z.boolean(),
  action: z.enum(NODE_ACTIONS),
  project: z.string(),
  canonical_id: z.string(),
  hostname: z.string(),
  detail: z.string(),
  dryrun: z.boolean(),
  /** The last lines of what it printed; null when it printed nothing. */
  stdout: z.string().nullable(),
  stderr: z.string().nullable(),
  returncode: z.number().int().nullable(),
})
export type NodeCommandAnswer = z.infer<typeof nodeCommandAnswer>

/** What the control plane answered to the last heartbeat of a project, and when. */
export const nodeLeadership = z.object({
  role: z.string(),
  lease_state: z.string(),
  epoch: z.number().nullable(),
  term: z.number().nullable(),
  received_at: z.number(),
})
export type NodeLeadership = z.infer<typeof nodeLeadership>

export const nodeStatusAnswer = z.object({
  ok: z.boolean(),
  project: z.string(),
  canonical_id: z.string(),
  hostname: z.string(),
  detail: z.string(),
  dryrun: z.boolean(),
  config_env_exists: z.boolean(),
  hooks_bin_exists: z.boolean(),
  db_exists: z.boolean(),
  db_path: z.string().nullable(),
  /** Whether the node announces the project. */
  registered: z.boolean(),
  leadership: nodeLeadership.nullable(),
  /** The last line of the hooks' log. */
  last_hook: z.string().nullable(),
})
export type NodeStatusAnswer = z.infer<typeof nodeStatusAnswer>

const health = {
  status: z.literal('ok'),
  service: z.literal('membridge-agent'),
  version: z.string(),
  dryrun: z.boolean(),
  allow_process_control: z.boolean(),
}
/** What callers from elsewhere see without a key. */
export const nodeHealthShort = z.object(health)

export const nodeHealthAnswer = z.object({
  ...health,
  hostname: z.string(),
  node_id: z.string(),
  os_info: z.string(),
  arch: z.string(),
  init_system: z.enum(['systemd', 'openrc', 'unknown']),
  heartbeat_interval: z.number(),
  server_url: z.string(),
  runtime_url: z.string().nullable(),
  projects_count: z.number().int(),
  uptime_seconds: z.number(),
  disk: z.object({ total_gb: z.number(), free_gb: z.number(), used_pct: z.number() }).nullable(),
  capabilities: z.record(z.string(), z.boolean()),
})
export type NodeHealth = z.infer<typeof nodeHealthAnswer>
