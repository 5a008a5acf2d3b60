/** What a worker says of a task it has: heartbeats, the report at its end, and what is kept of both ([runtime#wire]). */
import { z } from 'zod'
import { ARTIFACT_TYPES } from './artifact.contract.ts'
import { bytesOf, label, ms } from './runtime-fields.contract.ts'

const KIB = 1024
export const OUTPUT_BYTES = 1024 * KIB
/** What a node may send of its output while it works. */
export const TAIL_BYTES = 4 * KIB

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
