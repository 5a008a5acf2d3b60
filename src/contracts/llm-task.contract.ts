/**
 * The wire of BLOOM Runtime as its clients and nodes speak it ([runtime#wire]). Times are epoch milliseconds. Requests leave out what they do not
 * know; numbers, booleans and texts are not converted into each other.
 */
import { z } from 'zod'
import { OUTPUT_FORMATS } from '#domain/task/completion.rules.ts'
import { LEASE_TTL_SECONDS } from '#domain/task/lease-time.rules.ts'
import { FILTERS, SELECTION_RULES } from '#domain/task/selection.rules.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { taskLeaseMachine } from '#domain/task/task-lease.machine.ts'
import { ARTIFACT_TYPES } from './artifact.contract.ts'

const KIB = 1024
export const PROMPT_BYTES = 512 * KIB
export const OUTPUT_BYTES = 1024 * KIB
/** What a node may send of its output while it works. */
export const TAIL_BYTES = 4 * KIB
const ATTACHMENT_BYTES = 10 * KIB

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength
const ms = z.number().int()
const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u
const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/

const label = z.string().trim().min(1).max(64).regex(oneLine, 'must be one line')
const labels = z.array(label).max(64)
const reasonText = z.string().trim().min(1).max(500)

const retryPolicy = z.object({
  backoff: z.enum(['exponential', 'linear']).default('exponential'),
  base_delay_sec: z.number().min(0).max(3_600).default(15),
  max_delay_sec: z.number().min(0).max(86_400).default(300),
  jitter: z.boolean().default(true),
})

const tokens = z.number().int().min(0)

export const taskPolicy = z.object({
  timeout_sec: z.number().int().min(1).max(3_600).default(120),
  /** Tokens; 0 is no limit. */
  budget: z
    .union([tokens, z.object({ max_tokens: tokens, cost_tier: z.string().max(64).optional() })])
    .default(0),
  retry: retryPolicy.default(() => retryPolicy.parse({})),
  required_labels: labels.default([]),
  preferred_labels: labels.default([]),
  allow_fallback: z.boolean().default(true),
})
export type TaskPolicy = z.output<typeof taskPolicy>

const attachment = z.union([
  z.object({ artifact_id: z.string().max(128) }),
  z.object({
    name: z.string().min(1).max(128).regex(oneLine, 'must be one line'),
    content: z.string().refine((text) => bytesOf(text) < ATTACHMENT_BYTES, 'must be smaller than 10 KB'),
  }),
])

export const tracing = z.object({
  trace_id: z.string().max(64).optional(),
  parent_span_id: z.string().max(64).optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).optional(),
})

const idempotencyKey = z.string().min(1).max(128)

export const taskRequest = z.object({
  context_id: z.string().min(1).max(256),
  agent_slug: z
    .string()
    .regex(SLUG, 'must be 1 to 64 small letters, digits and hyphens, and not begin with a hyphen'),
  prompt: z
    .string()
    .min(1)
    .refine((text) => bytesOf(text) <= PROMPT_BYTES, 'must have at most 512 KiB'),
  context_hints: z.array(z.string().min(1).max(512)).max(64).default([]),
  policy: taskPolicy.default(() => taskPolicy.parse({})),
  desired_format: z.enum(OUTPUT_FORMATS).default('text'),
  max_attempts: z.number().int().min(1).max(10).default(3),
  /** The higher is dispatched first. */
  priority: z.number().int().min(0).max(9).default(0),
  idempotency_key: idempotencyKey.optional(),
  structured_input: z.unknown().optional(),
  attachments: z.array(attachment).max(16).default([]),
  tracing: tracing.optional(),
})
export type TaskRequest = z.output<typeof taskRequest>
/** The same from the header `Idempotency-Key`. */
export const idempotencyHeader = idempotencyKey

/** One worker of a selection, with what it was judged by; at most 50 are kept. */
export const considered = z.object({
  worker_id: z.string(),
  name: z.string(),
  verdict: z.enum(['chosen', 'passed_over', 'filtered']),
  reason: z.enum([...FILTERS, ...SELECTION_RULES] as const),
  free_slots: z.number().int(),
  last_heartbeat: ms.nullable(),
  /** When what stands against it will be over, as far as that is known. */
  until: ms.nullable(),
})
export const selection = z.object({
  /** Null where no worker could take it. */
  rule: z.enum(SELECTION_RULES).nullable(),
  chosen: z.string().nullable(),
  considered: z.array(considered),
  /** How many workers failed each filter. */
  filtered: z.partialRecord(z.enum(FILTERS), z.number().int()),
  at: ms,
})
export type SelectionView = z.infer<typeof selection>

export const taskView = z.object({
  id: z.string(),
  context_id: z.string(),
  agent_slug: z.string(),
  prompt: z.string(),
  /** Of the whole prompt; lists show its first 500 characters. */
  prompt_bytes: z.number().int(),
  context_hints: z.array(z.string()),
  policy: z.unknown(),
  desired_format: z.enum(OUTPUT_FORMATS),
  max_attempts: z.number().int(),
  priority: z.number().int(),
  idempotency_key: z.string().nullable(),
  structured_input: z.unknown(),
  attachments: z.unknown(),
  tracing: z.unknown(),
  status: z.enum(taskMachine.states),
  attempts: z.number().int(),
  fence: z.number().int(),
  lease_id: z.string().nullable(),
  worker_id: z.string().nullable(),
  not_before: ms,
  retry_at: ms.nullable(),
  error_code: z.string().nullable(),
  last_error: z.string().nullable(),
  wait_reason: z.string().nullable(),
  selection: selection.nullable(),
  artifact_id: z.string().nullable(),
  run_id: z.string().nullable(),
  tenant: z.string(),
  payload_digest: z.string(),
  created_at: ms,
  updated_at: ms,
  ended_at: ms.nullable(),
})
export type TaskView = z.infer<typeof taskView>

export const leaseView = z.object({
  id: z.string(),
  task_id: z.string(),
  worker_id: z.string(),
  context_id: z.string(),
  status: z.enum(taskLeaseMachine.states),
  fence: z.number().int(),
  ttl_seconds: z.number().int(),
  started_at: ms,
  last_heartbeat: ms.nullable(),
  expires_at: ms,
  ended_at: ms.nullable(),
  selection: selection.nullable(),
})
export type LeaseView = z.infer<typeof leaseView>

/** A lease that was just granted; the token is nowhere else. */
export const grantedLease = leaseView.extend({ token: z.string() })

const breakerView = z.object({
  state: z.enum(['closed', 'open', 'half_open']),
  failures: z.number().int(),
  cooldown_seconds: z.number().int(),
  open_until: ms.nullable(),
})

export const workerView = z.object({
  id: z.string(),
  name: z.string(),
  /** Where it is called: what an operator set, or else what it says of itself; null for one that fetches. */
  url: z.string().nullable(),
  registered_url: z.string().nullable(),
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
  created_at: ms,
  updated_at: ms,
})
export type WorkerView = z.infer<typeof workerView>

/** Where a node is reached: paths are put behind it. */
const nodeUrl = z
  .string()
  .trim()
  .max(2_048)
  .refine(isNodeUrl, 'must be an http or https address without credentials, query or fragment')
  .transform((url) => url.replace(/\/+$/, ''))

function isNodeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#\s]/.test(text)
}

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
  url: nodeUrl.nullish().transform((url) => url ?? null),
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

export const leaseRequest = z.object({
  id: z.string(),
  worker_id: z.uuid().nullish(),
  ttl_seconds: z.number().int().min(LEASE_TTL_SECONDS.least).max(LEASE_TTL_SECONDS.most).nullish(),
})

/** A lease by its id and fence, for who does not show its token. */
const shown = {
  lease_id: z.uuid().nullish(),
  fence: z.number().int().min(0).nullish(),
}

export const PROGRESS_PHASES = ['starting', 'context', 'running', 'reporting'] as const
const progress = z.object({
  phase: z.string().max(64).nullish(),
  tail: z
    .string()
    .refine((text) => bytesOf(text) <= TAIL_BYTES, 'must have at most 4 KiB')
    .nullish(),
  context_report: z
    .array(
      z.object({
        hint: z.string().max(512),
        status: z.enum(['loaded', 'truncated', 'skipped']),
        reason: z.string().max(256).nullish(),
        tokens: z.number().int().min(0).nullish(),
      }),
    )
    .max(256)
    .nullish(),
})
export type Progress = z.output<typeof progress>

export const heartbeatRequest = z.object({ id: z.string(), progress: progress.nullish(), ...shown })

export const completionRequest = z
  .object({
    id: z.string(),
    status: z.enum(['success', 'error']),
    output: z.string().nullish(),
    error_message: z.string().max(16_384).nullish(),
    error_code: z.string().max(64).nullish(),
    /** Seconds for which a provider wants to be left alone. */
    retry_after: z.number().min(0).max(86_400).nullish(),
    partial_output: z.string().nullish(),
    metrics: z
      .object({
        duration_ms: z.number().min(0).max(1e10).transform(Math.round),
        tokens_used: z.number().int().min(0).nullish(),
        model: z.string().max(128).nullish(),
        provider: z.string().max(128).nullish(),
      })
      .nullish(),
    artifact_type: z.enum(ARTIFACT_TYPES).default('LLM_RESULT'),
    artifact_tags: z.array(label).max(50).default([]),
    ...shown,
  })
  .refine((report) => report.status !== 'success' || typeof report.output === 'string', {
    path: ['output'],
    message: 'is wanted of a success',
  })
  .refine((report) => report.status !== 'error' || Boolean(report.error_message?.trim()), {
    path: ['error_message'],
    message: 'is wanted of an error',
  })
export type CompletionReport = z.output<typeof completionRequest>

export const taskResult = z.object({
  id: z.string(),
  task_id: z.string(),
  worker_id: z.string(),
  artifact_id: z.string().nullable(),
  status: z.enum(['success', 'error']),
  output: z.string().nullable(),
  error_message: z.string().nullable(),
  metrics: z.unknown(),
  completed_at: ms,
})
export type TaskResult = z.infer<typeof taskResult>

export const taskCommand = z.object({ id: z.string(), reason: reasonText.nullish() })

/** What came of one lease; `outcome` is null while the worker is at it. */
export const attemptView = z.object({
  lease_id: z.string(),
  worker_id: z.string(),
  worker: z.string(),
  number: z.number().int(),
  dispatched_at: ms.nullable(),
  phase: z.string().nullable(),
  /** The end of what the program has printed. */
  tail: z.string().nullable(),
  context_report: z.array(
    z.object({
      hint: z.string(),
      status: z.enum(['loaded', 'truncated', 'skipped']),
      reason: z.string().nullish(),
      tokens: z.number().nullish(),
    }),
  ),
  outcome: z.enum(['completed', 'failed', 'expired', 'handed_back', 'canceled']).nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  partial_output: z.string().nullable(),
  duration_ms: z.number().nullable(),
  tokens_used: z.number().nullable(),
  model: z.string().nullable(),
  completed_at: ms.nullable(),
})
export type AttemptView = z.infer<typeof attemptView>

export const taskDetail = taskView.extend({
  /** Newest first. */
  leases: z.array(leaseView),
  attempt_list: z.array(attemptView),
  history: z.array(
    z.object({
      at: ms,
      name: z.string(),
      from: z.string().nullable(),
      to: z.string().nullable(),
      actor: z.string(),
      reason: z.string().nullable(),
      error_code: z.string().nullable(),
    }),
  ),
  result: taskResult.nullable(),
})
export type TaskDetail = z.infer<typeof taskDetail>

export const taskListInput = z
  .object({
    status: z.enum(taskMachine.states).optional(),
    agent: z.string().regex(SLUG).optional(),
    worker_id: z.uuid().optional(),
    run_id: z.string().max(128).optional(),
    cursor: z.string().max(256).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type TaskListInput = z.infer<typeof taskListInput>
export const taskPage = z.object({ items: z.array(taskView), next_cursor: z.string().nullable() })
export type TaskPage = z.infer<typeof taskPage>

const reason = { reason: reasonText }
export const taskRef = z.object({ id: z.uuid() }).strict()
export const taskCommandInput = z.object({ id: z.uuid(), ...reason }).strict()
export const workerRef = z.object({ id: z.uuid() }).strict()
export const workerDetail = workerView.extend({
  /** The active ones. */
  leases: z.array(leaseView),
  /** The last leases of this worker with the selection that gave it each of them, newest first. */
  last_selections: z.array(leaseView),
})
export type WorkerDetail = z.infer<typeof workerDetail>
export const drainWorkerInput = z.object({ id: z.uuid(), drain: z.boolean(), ...reason }).strict()
export const correctAddressInput = z.object({ id: z.uuid(), url: nodeUrl.nullable(), ...reason }).strict()
export const workerCommandInput = z.object({ id: z.uuid(), ...reason }).strict()
export const removeWorkerInput = z
  .object({ id: z.uuid(), force: z.boolean().default(false), ...reason })
  .strict()
export const createTaskInput = taskRequest.strict()
