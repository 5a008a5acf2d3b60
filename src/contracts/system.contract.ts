import { z } from 'zod'
import { PUSH_PROBLEMS } from '#domain/garden/remote.rules.ts'

export const COMPONENTS = [
  'object_store',
  'git_garden',
  'git_memory',
  'ledger',
  'orchestration',
  'nlm_backend',
  'memory_backend',
  'control_plane',
  'audit',
  'stream',
] as const
export type Component = (typeof COMPONENTS)[number]

/** What a component's message begins with where the reason has a text in every language: `disk_full: There is …`. */
export const HEALTH_REASONS = [
  'disk_full',
  'disk_low',
  'branch_missing',
  'branch_rewound',
  'branch_differs',
  'repository_damaged',
  ...PUSH_PROBLEMS.map((problem) => `remote_${problem}` as const),
  'clock_skew',
  'object_lost',
  'probe_silent',
  'schema_missing',
  'no_worker',
  'engine_idle',
  'nlm_starting',
  'nlm_dependency',
  'nlm_silent',
  'control_plane_silent',
  'control_plane_store',
  'control_plane_ledger',
  'events_waiting',
  'not_projected',
  'audit_head_missing',
  'audit_failed',
  'audit_unsealed',
  'audit_unsigned',
] as const
export type HealthReason = (typeof HEALTH_REASONS)[number]
/** Canonical storage: without one of these the system is critical [system#health]. */
export const CANONICAL: readonly Component[] = ['object_store', 'git_garden', 'ledger']
/** Components that this installation does not have; nothing probes them. */
export const NOT_CONFIGURED: readonly Component[] = ['git_memory', 'memory_backend']
/** An answer older than this says nothing of the present. */
export const STALE_SECONDS = 60

export const componentHealth = z.object({
  status: z.enum(['healthy', 'degraded', 'unavailable', 'not_configured', 'stale']),
  latency_ms: z.number().nullable(),
  message: z.string().nullable(),
  checked_at: z.string().nullable(),
  last_success_at: z.string().nullable(),
})

/** `GET /system/health` [system#health]: the status follows canonical storage, not processes. */
export const systemHealth = z.object({
  status: z.enum(['healthy', 'degraded', 'critical']),
  checked_at: z.string(),
  components: z.record(z.enum(COMPONENTS), componentHealth),
  pending_proposals_count: z.number(),
  failed_agents_count: z.number(),
  last_run_status: z.string().nullable(),
  /** Alerts whose condition still holds, acknowledged or not. */
  incidents_open: z.number(),
  version: z.string(),
})
export type SystemHealth = z.infer<typeof systemHealth>

/** Settings that the console shows, by the names of their variables. */
export const SHOWN_SETTINGS = [
  'PUBLIC_URL',
  'GARDEN_REMOTE',
  'ALLOWED_ORIGINS',
  'ALLOW_INSECURE_LAN',
  'CALLBACK_ALLOW_UNSIGNED',
  'APPLY_HOLD_SECONDS',
  'RUNS_MAX_RUNNING',
  'RUNS_QUEUE_DEPTH',
  'WORKER_JOBS',
  'WORKER_RUNS',
  'RETENTION_ARTIFACT_DAYS',
] as const
/** Those that can protect less than their default. */
export const RELAXABLE_SETTINGS = [
  'ALLOWED_ORIGINS',
  'ALLOW_INSECURE_LAN',
  'CALLBACK_ALLOW_UNSIGNED',
] as const
export const systemSettings = z.object({
  items: z.array(
    z.object({
      name: z.enum(SHOWN_SETTINGS),
      value: z.string(),
      /** Set when it protects less than the default does: which warning says so. */
      warning: z.enum(RELAXABLE_SETTINGS).nullable(),
    }),
  ),
})
export type SystemSettings = z.infer<typeof systemSettings>

/** How the garden's repository is cared for [apply#remote], [apply#integrity]. */
export const gardenCare = z.object({
  /** Null where no remote is configured. The address holds no credentials. */
  remote: z
    .object({
      address: z.string(),
      pushed_commit: z.string().nullable(),
      pushed_at: z.string().nullable(),
      /** Applied proposals whose commit the remote does not have. */
      waiting: z.number(),
      problem: z.enum(PUSH_PROBLEMS).nullable(),
      message: z.string().nullable(),
      failing_since: z.string().nullable(),
      next_attempt_at: z.string().nullable(),
    })
    .nullable(),
  check: z.object({
    finished_at: z.string().nullable(),
    running: z.boolean(),
    /** `git`: by `git fsck`; `console`: by reading what the branch needs, where git is not installed. */
    checked_by: z.enum(['git', 'console']).nullable(),
    objects: z.number().nullable(),
    faults: z.array(z.string()),
  }),
})
export type GardenCare = z.infer<typeof gardenCare>

/** The objects of one thing that the projector has set aside [outbox#faults]. */
export const projectionRef = z
  .object({ resource_type: z.string().min(1).max(32), resource_id: z.string().min(1).max(128) })
  .strict()
export type ProjectionRef = z.infer<typeof projectionRef>

export const projectionFault = z.object({
  resource_type: z.string(),
  resource_id: z.string(),
  object_key: z.string(),
  message: z.string(),
  occurred_at: z.string(),
  /** A retry was asked for and is not done yet. */
  retrying: z.boolean(),
})
export type ProjectionFault = z.infer<typeof projectionFault>

/** The sweep of objects that nothing refers to [objects#sweep]. */
const objectSweepState = z.object({
  /** When the last pass ended; null before the first one. */
  finished_at: z.string().nullable(),
  /** Content-addressed objects that it looked at, and how many it removed. */
  listed: z.number(),
  removed: z.number(),
  /** Objects that are marked and wait for their removal. */
  waiting: z.number(),
  waiting_bytes: z.number(),
  /** Of all passes. */
  total_removed: z.number(),
  total_bytes: z.number(),
  last_error: z.string().nullable(),
})
export type ObjectSweepState = z.infer<typeof objectSweepState>

/** What a dry run of retention says: how much would go, and the oldest of it. */
export const retentionPreview = z.object({
  days: z.number(),
  artifacts: z.number(),
  bytes: z.number(),
  oldest_at: z.string().nullable(),
  items: z.array(
    z.object({
      artifact_id: z.string(),
      title: z.string(),
      agent_slug: z.string(),
      bytes: z.number(),
      created_at: z.string(),
    }),
  ),
})
export type RetentionPreview = z.infer<typeof retentionPreview>
export const retentionPreviewInput = z.object({ days: z.coerce.number().int().min(1).max(36_500) }).strict()

/** Retention of artifacts [retention]. Without `days` it is off. */
const retentionStateView = z.object({
  days: z.number().nullable(),
  /** What the announcement of this value said, and when removal begins under it. */
  announced_at: z.string().nullable(),
  begins_at: z.string().nullable(),
  artifacts: z.number(),
  bytes: z.number(),
  oldest_at: z.string().nullable(),
  /** Since ever. */
  removed: z.number(),
  removed_bytes: z.number(),
  /** What kept the latest pass from its end, and since when none has come to it; null when the latest one did. */
  last_error: z.string().nullable(),
  failing_since: z.string().nullable(),
})
export type RetentionState = z.infer<typeof retentionStateView>

/** What is removed from the object store. */
export const storageState = z.object({ sweep: objectSweepState, retention: retentionStateView })
export type StorageState = z.infer<typeof storageState>

/** The counts beside the names of the navigation: only what waits for somebody. */
export const navigationCounts = z.object({
  /** What waits for the person who asks ([needs#kinds]). */
  needs: z.number(),
  proposals_waiting: z.number(),
  /** Approved ones that could not be applied. */
  proposals_failed: z.number(),
  inbox_pending: z.number(),
  runs_running: z.number(),
  jobs_dead: z.number(),
  alerts_open: z.number(),
})
export type NavigationCounts = z.infer<typeof navigationCounts>
