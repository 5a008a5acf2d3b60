import { z } from 'zod'
import { jobMachine } from '#domain/job/job.machine.ts'
import {
  FAILURE_KINDS,
  JOB_ACTION_EVENTS,
  JOB_TYPES,
  JOB_WAIT_REASONS,
  REASON,
} from '#domain/job/job.rules.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'

/**
 * Jobs as the console and the API show them, and what one may ask of them ([jobs#purpose]). Times are ISO
 * 8601 UTC, durations whole seconds or milliseconds as named; `null` means "not yet" or "none".
 */
const time = z.string()
export const jobStatus = z.enum(jobMachine.states)
export const jobType = z.enum(JOB_TYPES)
export const jobPriority = z.enum(['normal', 'high'])
export const jobId = z.string().regex(PATTERNS.job, 'must be a uuid')

/** Canonical JSON of a payload, so that the whole call stays below 100 KB. */
export const JOB_PAYLOAD_BYTES = 90 * 1024
/** The largest set that one bulk command may touch; above the second number its exact count must be typed. */
export const BULK_LIMIT = 1_000
export const BULK_TYPED_ABOVE = 100
/** Counts are exact below this number, else a lower bound. */
export const COUNT_CAP = 10_000

export const jobError = z.object({
  code: z.string(),
  message: z.string(),
  /** The state in which it happened. */
  phase: z.string(),
  retryable: z.boolean(),
  at: time,
})
export type JobError = z.infer<typeof jobError>

export const jobRow = z.object({
  job_id: z.string(),
  job_type: jobType,
  status: jobStatus,
  agent_slug: z.string(),
  run_id: z.string().nullable(),
  inbox_entry_id: z.string().nullable(),
  requested_by: z.string(),
  priority: jobPriority,
  tenant: z.string(),
  /** Where the NotebookLM Backend reports ([jobs#I-C6]). */
  callback: z.string(),
  /** The job that this one does once more ([jobs#replays]). */
  replay_of: z.string().nullable(),
  /** Jobs that must be COMPLETE first; none can be named yet. */
  depends_on: z.array(z.string()),
  /** The question or task of the job, shortened to 160 characters; empty when its payload holds no text. */
  title: z.string(),
  attempt: z.number(),
  max_attempts: z.number(),
  requeue_count: z.number(),
  /** When a job in backoff may be retried: the countdown's end. */
  not_before: time.nullable(),
  wait_reason: z.enum(JOB_WAIT_REASONS).nullable(),
  /** The job or component that this one waits for. */
  wait_blocker: z.string().nullable(),
  failure_kind: z.enum(FAILURE_KINDS).nullable(),
  error: jobError.nullable(),
  artifact_id: z.string().nullable(),
  created_at: time,
  updated_at: time,
  finished_at: time.nullable(),
  /** When the last attempt began; null while the job waits in the queue. */
  attempt_started_at: time.nullable(),
  /** When its work ended; null while it goes on. */
  attempt_ended_at: time.nullable(),
})
export type JobRow = z.infer<typeof jobRow>

/** One line of the append-only history: an event of the job. */
export const jobHistoryRow = z.object({
  /** Position in the sealed chain; null until sealed. */
  seq: z.number().nullable(),
  event_id: z.string(),
  /** The audit name: `job.created`, `job.status.update`, `job.write.refused` … */
  event: z.string(),
  /** The row of the transition table; null for a record that is no transition. */
  transition: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  outcome: z.enum(['ok', 'refused', 'error']),
  attempt: z.number().nullable(),
  fence: z.number().nullable(),
  actor: z.string(),
  actor_role: z.string(),
  reason: z.string().nullable(),
  error: jobError.nullable(),
  /** Seconds of backoff that this transition began. */
  backoff_seconds: z.number().nullable(),
  node: z.string(),
  at: time,
})
export type JobHistoryRow = z.infer<typeof jobHistoryRow>

/** One attempt: from pick_up until the state that ended it. */
export const jobAttempt = z.object({
  attempt: z.number(),
  /** How often the job had been requeued by a person before. */
  round: z.number(),
  /** When the job entered the queue for this attempt. */
  queued_at: time.nullable(),
  started_at: time,
  finished_at: time.nullable(),
  ms: z.number().nullable(),
  phases: z.array(z.object({ state: z.string(), started_at: time, ms: z.number().nullable() })),
  /** When the backoff after it ended, or ends; null when none follows. */
  backoff_until: time.nullable(),
  outcome: z.enum(['running', 'complete', 'retried', 'failed']),
  error: jobError.nullable(),
})
export type JobAttempt = z.infer<typeof jobAttempt>

export const jobLease = z.object({
  holder: z.string(),
  fence: z.number(),
  phase: z.string(),
  expires_at: time,
  phase_deadline: time.nullable(),
})

export type JobAction = keyof typeof JOB_ACTION_EVENTS
export const JOB_ACTIONS = Object.keys(JOB_ACTION_EVENTS) as [JobAction, ...JobAction[]]

export const jobDetail = jobRow.extend({
  payload: z.record(z.string(), z.unknown()),
  payload_digest: z.string(),
  context_sha256: z.string().nullable(),
  /** The address of the snapshot once it is assembled, without the signature that goes out with the call and lets it be read. */
  context: z.object({ memory_snapshot_url: z.string().nullable(), entity_refs: z.array(z.string()) }),
  lease: jobLease.nullable(),
  /** What the caller may do now, by state alone; authority is checked when it is done. */
  actions: z.array(z.enum(JOB_ACTIONS)),
  artifact: z
    .object({ artifact_id: z.string(), type: z.string(), title: z.string(), created_at: time })
    .nullable(),
  /** The newest jobs that do this one once more. */
  replays: z.array(z.object({ job_id: z.string(), status: jobStatus, created_at: time })),
  attempts: z.array(jobAttempt),
  history: z.array(jobHistoryRow),
  /** The clock of the ledger when this was read: countdowns run against it. */
  now: time,
})
export type JobDetail = z.infer<typeof jobDetail>

/** `CREATED` is only a label of the first state. */
export const askedStatus = z.union([
  jobStatus,
  z.literal('CREATED').transform(() => jobMachine.events.submit.to),
])
const statusFilter = z.union([
  askedStatus.transform((one) => [one]),
  z.array(askedStatus).max(jobMachine.states.length),
])

/** Codes of an error as filters name them. */
export const errorCode = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/)

/** Filters of the list and of bulk commands. */
export const jobFilter = z
  .object({
    status: statusFilter.optional(),
    type: jobType.optional(),
    agent: z.string().regex(PATTERNS.slug).optional(),
    run: z.string().regex(PATTERNS.run).optional(),
    failure: z.enum(FAILURE_KINDS).optional(),
    /** `no`: jobs that were cancelled are left out, which are FAILED but no failures. */
    cancelled: z.enum(['no']).optional(),
    /** How jobs ended: `code` and `phase` of the last error. Only FAILED and DEAD jobs match, as in the groups of failures. */
    code: errorCode.optional(),
    phase: jobStatus.optional(),
    /** Part of the question, or the beginning of an id. */
    q: z.string().max(200).optional(),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
  })
  .strict()
export type JobFilter = z.infer<typeof jobFilter>

/** The filter of a bulk command: also the jobs that a person selected. */
export const jobBulkFilter = jobFilter
  .extend({ ids: z.array(jobId).min(1).max(BULK_LIMIT).optional() })
  .strict()
export type JobBulkFilter = z.infer<typeof jobBulkFilter>

export const jobListInput = jobFilter
  .extend({
    cursor: z.string().max(128).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type JobListInput = z.infer<typeof jobListInput>

export const jobPage = z.object({ items: z.array(jobRow), next_cursor: z.string().nullable(), now: time })
export type JobPage = z.infer<typeof jobPage>

/** `exact: false` reads "at least". */
export const countView = z.object({ count: z.number(), exact: z.boolean() })
export type CountView = z.infer<typeof countView>
/** FAILED without the jobs that were cancelled: they did not fail. */
export const jobCounts = z.object({
  by_status: z.record(jobStatus, countView),
  cancelled: countView,
  total: countView,
})
export type JobCounts = z.infer<typeof jobCounts>

/**
 * A new Job asked for by the owner; it comes through the Inbox, and repeats are recognized by `job_id` or `Idempotency-Key`. The payload is
 * checked by its type. A `callback` is accepted only if it is the one that the job has anyway ([jobs#I-C6]).
 */
export const jobSubmitInput = z
  .object({
    job_id: z.string().toLowerCase().regex(PATTERNS.job, 'must be a uuid').optional(),
    callback: z.string().max(4096).optional(),
    job_type: jobType.default('RESEARCH'),
    agent_slug: z.string().regex(PATTERNS.slug),
    payload: z.record(z.string(), z.unknown()),
    priority: jobPriority.default('normal'),
  })
  .strict()
export type JobSubmitInput = z.infer<typeof jobSubmitInput>
export const jobSubmitted = z.object({
  job_id: z.string(),
  inbox_id: z.string().nullable(),
  status: jobStatus,
})
export type JobSubmitted = z.infer<typeof jobSubmitted>

export const jobReason = z
  .string()
  .trim()
  .min(REASON.min, `at least ${REASON.min} characters`)
  .max(REASON.max)
export const jobCommandInput = z.object({ job_id: jobId, reason: jobReason }).strict()
export type JobCommandInput = z.infer<typeof jobCommandInput>
/**
 * An ended job once more ([jobs#replays]): with its own payload, or with the one that is given. `replay_id` names the new job, so that a request
 * which is sent twice makes one.
 */
export const jobReplayInput = jobCommandInput
  .extend({
    payload: z.record(z.string(), z.unknown()).optional(),
    replay_id: z.string().toLowerCase().regex(PATTERNS.job, 'must be a uuid').optional(),
  })
  .strict()
export type JobReplayInput = z.infer<typeof jobReplayInput>
export const jobReplayed = z.object({ job_id: z.string(), status: jobStatus, replay_of: z.string() })
export type JobReplayed = z.infer<typeof jobReplayed>
export const jobGetInput = z.object({ job_id: jobId }).strict()
export type JobGetInput = z.infer<typeof jobGetInput>
export const jobOperated = z.object({ job_id: z.string(), status: jobStatus })

export const jobBulkPreviewInput = z.object({ action: z.enum(JOB_ACTIONS), filter: jobBulkFilter }).strict()
export type JobBulkPreviewInput = z.infer<typeof jobBulkPreviewInput>
export const jobBulkPreview = z.object({
  /** Names the frozen set; good for 10 minutes, once, for the same person. */
  token: z.string(),
  action: z.enum(JOB_ACTIONS),
  count: z.number(),
  sample: z.array(jobRow),
  /** Matched by the filter, but the action may not happen in their state. */
  excluded: z.number(),
  excluded_by_status: z.record(z.string(), z.number()),
  /** More matched than one command may touch; the rest waits for another. */
  truncated: z.boolean(),
  /** True when `typed_count` must repeat the count. */
  needs_typed_count: z.boolean(),
  expires_at: time,
})
export type JobBulkPreview = z.infer<typeof jobBulkPreview>

export const jobBulkExecuteInput = z
  .object({
    token: z.string().min(16).max(128),
    reason: jobReason,
    typed_count: z.number().int().min(1).max(BULK_LIMIT).optional(),
  })
  .strict()
export type JobBulkExecuteInput = z.infer<typeof jobBulkExecuteInput>
export const jobBulkResult = z.object({
  action: z.enum(JOB_ACTIONS),
  requested: z.number(),
  done: z.number(),
  /** The jobs that were changed, each with the state it is in now. */
  changed: z.array(z.object({ job_id: z.string(), status: jobStatus })),
  /** Moved on between preview and execution: left as they were. */
  skipped: z.array(z.object({ job_id: z.string(), title: z.string(), status: jobStatus })),
})
export type JobBulkResult = z.infer<typeof jobBulkResult>
