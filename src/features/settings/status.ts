import type { SystemHealth } from '#contracts/system.contract.ts'
import type { StatusLook } from '#ui/status-badge.tsx'

type ComponentStatus = SystemHealth['components'][keyof SystemHealth['components']]['status']

/** How the state of a component looks. */
export const HEALTH: Record<ComponentStatus, StatusLook> = {
  healthy: { tone: 'done' },
  degraded: { tone: 'waiting' },
  unavailable: { tone: 'failed' },
  not_configured: { tone: 'held' },
  stale: { tone: 'waiting' },
}
