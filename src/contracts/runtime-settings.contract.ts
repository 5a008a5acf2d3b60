/** The settings of BLOOM Runtime on its wire and in the console [runtime#control-plane], and what it says of the agents of its workers [runtime#agents]. Times are epoch milliseconds. */
import { z } from 'zod'
import { agentUrl } from './agent-url.contract.ts'
import { ms, oneLine, reasonText } from './runtime-fields.contract.ts'

/** Where the control plane is called; the paths of its wire come behind it. */
const serverUrl = agentUrl.refine((url) => !url.includes('\\'), 'must not hold a backslash')

/** What a mask begins with. A form that sends back what it was shown must not replace the key by it. */
export const KEY_MASK = '****'

/** Absent, null and empty mean the same: the key stays. */
const adminKey = z
  .string()
  .trim()
  .max(512)
  .regex(/^[\x21-\x7e]*$/, 'must be printable characters without spaces')
  .refine((key) => !key.startsWith(KEY_MASK), 'must be the key itself, not its mask')
  .nullish()
  .transform((key) => key || null)

/** Why the control plane did not answer as one does. */
export const CONNECTION_FAULTS = [
  'no_key',
  'key_unreadable',
  'not_callable',
  'in_clear',
  'unreachable',
  'failing',
  'refused_key',
  'not_control_plane',
] as const
export type ConnectionFault = (typeof CONNECTION_FAULTS)[number]

export const runtimeConfigInput = z.object({ membridge_server_url: serverUrl, admin_key: adminKey })
export type RuntimeConfigInput = z.output<typeof runtimeConfigInput>
export const changeRuntimeConfigInput = runtimeConfigInput.strict()

export const runtimeConfig = z.object({
  membridge_server_url: z.string(),
  /** `****` and the last four characters, `****` alone for a short key, empty without one. */
  admin_key_masked: z.string(),
  /** What the last test found; false until there was one of this address and key. */
  connected: z.boolean(),
  last_test: z
    .object({
      at: ms,
      connected: z.boolean(),
      fault: z.enum(CONNECTION_FAULTS).nullable(),
      error: z.string().nullable(),
    })
    .nullable(),
  /** Whether address and key are those of the environment or were set here. */
  source: z.enum(['environment', 'settings']),
})
export type RuntimeConfig = z.output<typeof runtimeConfig>

/** What is passed on of the health that a control plane reports. */
export const controlPlaneState = z.object({
  status: z.string().max(64),
  service: z.string().max(128).optional().catch(undefined),
  version: z.string().max(64).optional().catch(undefined),
  projects: z.number().nullable().optional().catch(undefined),
  agents: z.number().nullable().optional().catch(undefined),
  store: z.string().max(64).optional().catch(undefined),
  database: z.string().max(64).optional().catch(undefined),
})
export type ControlPlaneState = z.output<typeof controlPlaneState>

export const connectionTest = z.union([
  z.object({ connected: z.literal(true), health: controlPlaneState }),
  z.object({ connected: z.literal(false), fault: z.enum(CONNECTION_FAULTS), error: z.string() }),
])
export type ConnectionTest = z.output<typeof connectionTest>

/** The part of the runtime's health that callers who are known get. */
export const controlPlaneConnection = z.object({
  consecutiveFailures: z.number().int(),
  lastSuccess: ms.nullable(),
  lastError: z.string().nullable(),
  connected: z.boolean(),
})
/** The same in the console, with the fault by its code. */
export const controlPlaneContact = controlPlaneConnection.extend({
  fault: z.enum(CONNECTION_FAULTS).nullable(),
})
export type ControlPlaneContact = z.output<typeof controlPlaneContact>
export type ControlPlaneConnection = z.output<typeof controlPlaneConnection>

const said = (max: number) => z.string().max(max).optional().catch(undefined)
const counted = z.number().optional().catch(undefined)
const flagged = z.boolean().optional().catch(undefined)

/** What is passed on of the health that the agent of a node reports; existing agents report some of it. */
export const agentState = z.object({
  status: z.string().max(64),
  service: said(128),
  version: said(64),
  dryrun: flagged,
  allow_process_control: flagged,
  hostname: said(256),
  node_id: said(128),
  os_info: said(256),
  arch: said(64),
  init_system: said(64),
  heartbeat_interval: counted,
  projects_count: counted,
  uptime_seconds: counted,
})

export const agentHealth = z.union([
  agentState.extend({ reachable: z.literal(true), checked_at: ms }),
  z.object({ reachable: z.literal(false), error: z.string(), checked_at: ms }),
])
export type AgentHealth = z.output<typeof agentHealth>

export const AGENT_COMMANDS = ['restart', 'update', 'uninstall'] as const
export type AgentCommand = (typeof AGENT_COMMANDS)[number]

/** An address in it means nothing: only the registered one is called. */
export const agentCommandRequest = z.object({ id: z.string(), reason: reasonText })

export const commandAgentInput = z
  .object({ id: z.uuid(), command: z.enum(AGENT_COMMANDS), reason: reasonText })
  .strict()

export const agentCommanded = z.object({
  ok: z.literal(true),
  worker_id: z.string(),
  command: z.enum(AGENT_COMMANDS),
  /** The agent only says what it would have done. */
  dryrun: z.boolean(),
  detail: z.string(),
})
export type AgentCommanded = z.output<typeof agentCommanded>

export const installScriptRequest = z.object({
  /** The name of the node; its host name when not given. */
  name: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .regex(oneLine, 'must be one line')
    .refine((name) => !name.includes('..'), 'must not hold ".."')
    .optional(),
})
