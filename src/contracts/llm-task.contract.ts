/**
 * LLM Tasks and their leases on the wire of BLOOM Runtime, as its clients and nodes speak it ([runtime#wire]). Times are epoch milliseconds. Requests
 * leave out what they do not know; numbers, booleans and texts are not converted into each other.
 */
import { z } from 'zod'
import { OUTPUT_FORMATS } from '#domain/task/completion.rules.ts'
import { LEASE_TTL_SECONDS } from '#domain/task/lease-time.rules.ts'
import { FILTERS, SELECTION_RULES } from '#domain/task/selection.rules.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { taskLeaseMachine } from '#domain/task/task-lease.machine.ts'
import { bytesOf, labels, ms, oneLine, reasonText } from './runtime-fields.contract.ts'
import { attemptView, taskResult } from './task-report.contract.ts'

const KIB = 1024
export const PROMPT_BYTES = 512 * KIB
const ATTACHMENT_BYTES = 10 * KIB

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/

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

export const leaseRequest = z.object({
  id: z.string(),
  worker_id: z.uuid().nullish(),
  ttl_seconds: z.number().int().min(LEASE_TTL_SECONDS.least).max(LEASE_TTL_SECONDS.most).nullish(),
})

export const taskCommand = z.object({ id: z.string(), reason: reasonText.nullish() })

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

export const taskRef = z.object({ id: z.uuid() }).strict()
export const taskCommandInput = z.object({ id: z.uuid(), reason: reasonText }).strict()
export const createTaskInput = taskRequest.strict()
