import { z } from 'zod'
import { BUCKET_STATES } from '#domain/health/uptime.rules.ts'
import { COMPONENTS } from './system.contract.ts'

/** `GET /system/health/history`: how the components were, as far as somebody watched. */
export const HEALTH_WINDOWS = ['24h', '7d'] as const
export const healthHistoryRequest = z.object({ window: z.enum(HEALTH_WINDOWS).default('24h') }).strict()
export type HealthHistoryRequest = z.output<typeof healthHistoryRequest>

const state = z.enum(BUCKET_STATES)
const component = z.enum(COMPONENTS)
export const healthHistory = z.object({
  window: z.enum(HEALTH_WINDOWS),
  from: z.string(),
  to: z.string(),
  bucket_seconds: z.number().int(),
  /** Those that this installation has. */
  components: z.array(
    z.object({
      component,
      /** The part of the watched time in which it worked, 0 to 1; null where nobody watched. */
      uptime: z.number().nullable(),
      /** The worst of each bucket, the oldest first. */
      buckets: z.array(state),
      /** Seconds of the window in each state. */
      seconds: z.record(state, z.number()),
    }),
  ),
  /** When something was degraded or down, the newest first, at most 200; `until` is null while it is. */
  periods: z.array(z.object({ component, state, since: z.string(), until: z.string().nullable() })),
})
export type HealthHistory = z.infer<typeof healthHistory>
