import { z } from 'zod'
import { jobMachine } from '#domain/job/job.machine.ts'
import { JOB_TYPES } from '#domain/job/job.rules.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { PHASES } from '#domain/run/step.machine.ts'

/**
 * Runs as the console and the API show them; what one may ask of them is in `run-commands.contract.ts`. Times are ISO
 * 8601 UTC, durations whole milliseconds; `null` means "not yet" or "none".
 */
const time = z.string()
export const runStatus = z.enum(runMachine.states)

export const RUN_TRIGGERS = ['manual', 'cron', 'event', 'mcp', 'rerun'] as const
export const RUN_WAIT_REASONS = ['agent_busy', 'global_limit', 'maintenance', 'throttled'] as const
export const RUN_ERROR_CODES = [
  'AGENT_NOT_ACTIVE',
  'DEFINITION_INVALID',
  'UPSTREAM_UNAVAILABLE',
  'NLM_UNAVAILABLE',
  'MODEL_UNAVAILABLE',
  'OUTPUT_INVALID',
  'BUDGET_EXCEEDED',
  'TOOL_DENIED',
  'AGENT_TIMEOUT',
  'STEP_TIMEOUT',
  'CHECKPOINT_MISMATCH',
  'STORAGE_UNAVAILABLE',
  'QUESTION_EXPIRED',
  'INTERNAL_ERROR',
] as const
export type RunErrorCode = (typeof RUN_ERROR_CODES)[number]

export const runError = z.object({
  code: z.enum(RUN_ERROR_CODES),
  message: z.string(),
  step: z.number().nullable(),
  retryable: z.boolean(),
})
export type RunError = z.infer<typeof runError>

/** What the run waits for while `queued`, or durably inside step 02. */
const waitingOn = z.object({ kind: z.enum(['job', 'llm_task', 'question']), id: z.string() })

export const runRow = z.object({
  run_id: z.string(),
  status: runStatus,
  agent_slug: z.string(),
  agent_version: z.string().nullable(),
  trigger: z.string(),
  requested_by: z.string(),
  priority: z.enum(['normal', 'high']),
  /** The run that this one replays, and the step from which it executes by itself. */
  replay_of: z.string().nullable(),
  from_step: z.number().nullable(),
  /** The question or task of the run, shortened; empty when its params hold no text. */
  title: z.string(),
  current_step: z.number(),
  steps_total: z.number(),
  steps_completed: z.number(),
  queue_position: z.number().nullable(),
  wait_reason: z.enum(RUN_WAIT_REASONS).nullable(),
  /** The run that holds the lane, when that is what this one waits for. */
  wait_blocker: z.string().nullable(),
  waiting_on: waitingOn.nullable(),
  cancel_requested: z.boolean(),
  error: runError.nullable(),
  proposals: z.number(),
  jobs: z.number(),
  artifacts: z.number(),
  revision: z.number(),
  requested_at: time,
  queued_at: time.nullable(),
  started_at: time.nullable(),
  finished_at: time.nullable(),
  updated_at: time,
})
export type RunRow = z.infer<typeof runRow>

export const runListInput = z
  .object({
    status: runStatus.optional(),
    agent: z.string().regex(PATTERNS.slug).optional(),
    trigger: z.enum(RUN_TRIGGERS).optional(),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    q: z.string().max(200).optional(),
    cursor: z.string().max(128).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type RunListInput = z.infer<typeof runListInput>
export const runPage = z.object({ items: z.array(runRow), next_cursor: z.string().nullable() })
export type RunPage = z.infer<typeof runPage>

export const PHASE_STATES = [
  'pending',
  'running',
  'waiting',
  'done',
  'failed',
  'cancelled',
  'skipped',
  'reused',
] as const
/** One of the seven phases on the time axis; `start_ms` counts from `requested_at`. */
export const runPhase = z.object({
  phase: z.number(),
  name: z.enum(PHASES),
  state: z.enum(PHASE_STATES),
  started_at: time.nullable(),
  start_ms: z.number().nullable(),
  ms: z.number().nullable(),
})
export type RunPhase = z.infer<typeof runPhase>

export const SPAN_KINDS = ['queue', 'work', 'retry', 'tool', 'wait'] as const
/** A bar of the time axis: waiting apart from work, failed attempts apart, tool calls nested under phase 4. `ms` null: goes on. */
export const runSpan = z.object({
  id: z.string(),
  parent: z.string().nullable(),
  phase: z.number(),
  name: z.string(),
  kind: z.enum(SPAN_KINDS),
  start_ms: z.number(),
  ms: z.number().nullable(),
  ok: z.boolean().nullable(),
  job_id: z.string().nullable(),
  task_id: z.string().nullable(),
})
export type RunSpan = z.infer<typeof runSpan>

const stepAttempt = z.object({
  n: z.number(),
  started_at: time,
  ms: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})
export const runStepView = z.object({
  step: z.number(),
  name: z.string(),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
  attempts: z.array(stepAttempt),
  started_at: time.nullable(),
  finished_at: time.nullable(),
  duration_ms: z.number().nullable(),
  input_digest: z.string().nullable(),
  output_digest: z.string().nullable(),
  output: z.unknown(),
  error: runError.nullable(),
  /** The run that executed the step, where this one took it over. */
  executed_by_run: z.string().nullable(),
  /** Key of the step's object below `agents/<slug>/runs/<run_id>/`. */
  object: z.string(),
})
export type RunStepView = z.infer<typeof runStepView>

/** One journalled tool call of step 02. */
export const runCallView = z.object({
  index: z.number(),
  tool: z.string(),
  input_digest: z.string(),
  job_id: z.string().nullable(),
  task_id: z.string().nullable(),
  ok: z.boolean().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  ms: z.number().nullable(),
  started_at: time,
  finished_at: time.nullable(),
})

export const runProposalRef = z.object({
  proposal_id: z.string(),
  status: z.enum(proposalMachine.states),
  action: z.string(),
  target: z.string(),
  summary: z.string(),
  created_at: time,
  /** It was made by another run, of the same output. */
  reused: z.boolean(),
})
export const runRefusedProposal = z.object({
  index: z.number(),
  code: z.string(),
  message: z.string(),
  inbox_id: z.string().optional(),
})
export const runJobRef = z.object({
  job_id: z.string(),
  job_type: z.enum(JOB_TYPES),
  status: z.enum(jobMachine.states),
  attempt: z.number(),
  max_attempts: z.number(),
  not_before: time.nullable(),
  artifact_id: z.string().nullable(),
  created_at: time,
  finished_at: time.nullable(),
})
export const runArtifactRef = z.object({
  artifact_id: z.string(),
  type: z.string(),
  title: z.string(),
  bytes: z.number(),
  created_at: time,
})
/** An artifact of a run as a file: `name` below the run's artifacts, its exact bytes at `download_url`. */
export const runArtifactFile = runArtifactRef.extend({
  name: z.string(),
  size_bytes: z.number(),
  download_url: z.string(),
})
export type RunArtifactFile = z.infer<typeof runArtifactFile>

export const runDetail = runRow.extend({
  agent_name: z.string(),
  params: z.record(z.string(), z.unknown()),
  inbox_entry_id: z.string().nullable(),
  correlation_id: z.string().nullable(),
  definition_sha256: z.string().nullable(),
  summary: z.string().nullable(),
  cancel_reason: z.string().nullable(),
  attempt: z.number(),
  resumes: z.number(),
  retries_used: z.number(),
  retry_budget: z.number(),
  fence: z.number(),
  lease_expires_at: time.nullable(),
  limit_seconds: z.number(),
  engine: z.object({ id: z.string(), model: z.string().nullable(), version: z.string() }).nullable(),
  grounding: z
    .object({
      status: z.enum(['grounded', 'partial', 'ungrounded']),
      claims: z.number(),
      grounded_claims: z.number(),
    })
    .nullable(),
  tokens: z.object({ context: z.number(), input: z.number(), output: z.number() }).nullable(),
  phases: z.array(runPhase),
  spans: z.array(runSpan),
  /** Resumes after a lost lease, in ms from `requested_at`. */
  markers: z.array(z.object({ kind: z.enum(['resume']), at_ms: z.number() })),
  steps: z.array(runStepView),
  calls: z.array(runCallView),
  proposals_created: z.array(runProposalRef),
  proposals_refused: z.array(runRefusedProposal),
  job_list: z.array(runJobRef),
  artifact_list: z.array(runArtifactRef),
  /** P95 of the agent's last 50 completed runs, in ms; null below five of them. */
  p95_ms: z.number().nullable(),
  /** Runs that replay this one, newest first. */
  reruns: z.array(
    z.object({ run_id: z.string(), status: runStatus, from_step: z.number(), requested_at: time }),
  ),
  /** Why the run was asked for again, where it replays another. */
  rerun_reason: z.string().nullable(),
  /** The steps from which this run can be replayed; none while it goes on. */
  rerunnable_from: z.array(z.number()),
  /** Whether a cancel may be asked for now: not final, step 03 not begun. */
  cancellable: z.boolean(),
  /** The ledger's clock when this was read. */
  read_at: time,
})
export type RunDetail = z.infer<typeof runDetail>
