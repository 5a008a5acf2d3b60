import type { RetentionState } from '#contracts/system.contract.ts'

/** Retention as it is where nobody has turned it on. */
export const RETENTION_OFF: RetentionState = {
  days: null,
  announced_at: null,
  begins_at: null,
  artifacts: 0,
  bytes: 0,
  oldest_at: null,
  removed: 0,
  removed_bytes: 0,
  last_error: null,
  failing_since: null,
}
