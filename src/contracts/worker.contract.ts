/** Workers on the wire of BLOOM Runtime and in the console ([runtime#wire]). Times are epoch milliseconds. */
import { z } from 'zod'
import { agentUrl } from './agent-url.contract.ts'
import { leaseView } from './llm-task.contract.ts'
import { labels, ms, oneLine, reasonText } from './runtime-fields.contract.ts'

const breakerView = z.object({
  state: z.enum(['closed', 'open', 'half_open']),
  failures: z.number().int(),
  cooldown_seconds: z.number().int(),
  open_until: ms.nullable(),
})

export const workerView = z.object({
  id: z.string(),
  name: z.string(),
  /** Where it is called: what the owner set, or else what was registered; null for one that fetches. */
  url: z.string().nullable(),
  registered_url: z.string().nullable(),
  /** False without an address, and for one that neither the owner, the admin key nor the node's own key said: no key is sent there. */
  callable: z.boolean(),
  status: z.enum(['online', 'offline']),
  capabilities: z.object({
    claude_cli: z.boolean(),
    max_concurrency: z.number().int(),
    labels: z.array(z.string()),
    features: z.unknown(),
  }),
  active_leases: z.number().int(),
  ip_addrs: z.array(z.string()),
  agent_version: z.string().nullable(),
  os_info: z.string().nullable(),
  install_method: z.string().nullable(),
  last_heartbeat: ms.nullable(),
  offline_at: ms.nullable(),
  drained_at: ms.nullable(),
  drain_reason: z.string().nullable(),
  rate_limited_until: ms.nullable(),
  breaker: breakerView,
  /** When it last said itself what it is; null for one that the control plane alone knows. */
  registered_at: ms.nullable(),
  created_at: ms,
  updated_at: ms,
})
export type WorkerView = z.infer<typeof workerView>

/** A text that a node may leave out, send as null or send empty: nothing new is known then. */
const known = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .nullish()
    .transform((text) => text || null)

/** Nodes count in whole numbers, some send them as 2.0 or as null. */
const whole = (least: number, most: number, otherwise: number) =>
  z
    .number()
    .int()
    .min(least)
    .max(most)
    .nullish()
    .transform((value) => value ?? otherwise)

const capabilities = z.object({
  claude_cli: z
    .boolean()
    .nullish()
    .transform((can) => can ?? true),
  max_concurrency: whole(1, 32, 1),
  labels: labels.nullish().transform((given) => given ?? []),
  features: z
    .record(z.string().max(64), z.union([z.boolean(), z.number(), z.string().max(512)]))
    .nullish()
    .transform((given) => given ?? {}),
})

export const workerRegistration = z.object({
  name: z.string().trim().min(1).max(128).regex(oneLine, 'must be one line'),
  url: agentUrl.nullish().transform((url) => url ?? null),
  status: known(64),
  /** Null where none are declared: such a node is not given tasks. */
  capabilities: capabilities.nullish().transform((given) => given ?? null),
  ip_addrs: z
    .array(z.string().trim().max(64))
    .max(64)
    .nullish()
    .transform((given) => given ?? []),
  agent_version: known(64),
  os_info: known(256),
  install_method: known(64),
})
export type WorkerRegistration = z.output<typeof workerRegistration>

export const workerRef = z.object({ id: z.uuid() }).strict()
export const workerDetail = workerView.extend({
  /** The active ones. */
  leases: z.array(leaseView),
  /** The last leases of this worker with the selection that gave it each of them, newest first. */
  last_selections: z.array(leaseView),
})
export type WorkerDetail = z.infer<typeof workerDetail>
export const drainWorkerInput = z.object({ id: z.uuid(), drain: z.boolean(), reason: reasonText }).strict()
export const correctAddressInput = z
  .object({ id: z.uuid(), url: agentUrl.nullable(), reason: reasonText })
  .strict()
export const workerCommandInput = z.object({ id: z.uuid(), reason: reasonText }).strict()
export const removeWorkerInput = z
  .object({ id: z.uuid(), force: z.boolean().default(false), reason: reasonText })
  .strict()
