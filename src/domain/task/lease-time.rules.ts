/** When the lease of an LLM Task ends [runtime#lease]. All times are epoch milliseconds. */

/** What a node has on top of the task's own time, to report. */
export const LEASE_GRACE_SECONDS = 30
export const LEASE_TTL_SECONDS = { least: 30, most: 3_630 } as const
/** So long after the last heartbeat a task is shown as silent; nothing else follows. */
export const SILENT_AFTER_MS = 30_000

/** The time to live that a lease has where none was asked for, in seconds. */
export const ttlOf = (timeoutSeconds: number): number => timeoutSeconds + LEASE_GRACE_SECONDS

export type LeaseTimes = {
  startedAt: number
  lastHeartbeat: number
  ttlSeconds: number
  timeoutSeconds: number
}

/** The end of a lease: heartbeats put it off, but never beyond what the task may take. */
export const leaseEnd = ({ startedAt, lastHeartbeat, ttlSeconds, timeoutSeconds }: LeaseTimes): number =>
  Math.min(lastHeartbeat + ttlSeconds * 1_000, startedAt + ttlOf(timeoutSeconds) * 1_000)
