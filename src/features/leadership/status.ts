import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import type { LeaseState } from '#domain/leadership/leadership-lease.machine.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

/** How each state of a lease looks. */
export const LEASE_STYLES: Record<LeaseState, StatusStyle> = {
  absent: { tone: 'held' },
  valid: { tone: 'done' },
  expired: { tone: 'waiting' },
  unreadable: { tone: 'failed' },
}

/** How each state of the Push Lock looks. */
export const LOCK_STYLES: Record<ProjectLeadership['lock']['state'], StatusStyle> = {
  free: { tone: 'held' },
  active: { tone: 'working' },
  grace: { tone: 'waiting' },
  stale: { tone: 'waiting' },
  unreadable: { tone: 'failed' },
}
