import { z } from 'zod'

export const COMPONENTS = [
  'object_store',
  'git_garden',
  'ledger',
  'orchestration',
  'nlm_backend',
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
  'clock_skew',
] as const
export type HealthReason = (typeof HEALTH_REASONS)[number]

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
  version: z.string(),
})
export type SystemHealth = z.infer<typeof systemHealth>

/** The counts beside the names of the navigation: only what waits for somebody. */
export const navigationCounts = z.object({
  proposals_waiting: z.number(),
  inbox_pending: z.number(),
  runs_running: z.number(),
  jobs_dead: z.number(),
})
export type NavigationCounts = z.infer<typeof navigationCounts>
