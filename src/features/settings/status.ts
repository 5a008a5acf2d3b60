import type { AccountView } from '#contracts/auth.contract.ts'
import type { HealthReason, SystemHealth } from '#contracts/system.contract.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

type ComponentStatus = SystemHealth['components'][keyof SystemHealth['components']]['status']

/** How the state of a component looks. */
export const HEALTH: Record<ComponentStatus, StatusStyle> = {
  healthy: { tone: 'done' },
  degraded: { tone: 'waiting' },
  unavailable: { tone: 'failed' },
  not_configured: { tone: 'held' },
  stale: { tone: 'waiting' },
}

const HEALTH_REASONS: Record<HealthReason, true> = {
  disk_full: true,
  disk_low: true,
  branch_missing: true,
  branch_rewound: true,
  branch_differs: true,
  repository_damaged: true,
  remote_diverged: true,
  remote_refused: true,
  remote_rejected: true,
  remote_not_found: true,
  remote_unreachable: true,
  remote_timeout: true,
  remote_no_git: true,
  remote_failed: true,
  clock_skew: true,
  object_lost: true,
  probe_silent: true,
  schema_missing: true,
  no_worker: true,
  engine_idle: true,
  nlm_starting: true,
  nlm_dependency: true,
  nlm_silent: true,
  control_plane_silent: true,
  control_plane_store: true,
  control_plane_ledger: true,
  events_waiting: true,
  not_projected: true,
  audit_head_missing: true,
  audit_failed: true,
  audit_unsealed: true,
  audit_unsigned: true,
}
const isReason = (code: string): code is HealthReason => Object.hasOwn(HEALTH_REASONS, code)

/** The reason that a message begins with, and the rest of it. */
export function reasonOf(message: string): { reason: HealthReason | null; text: string } {
  const at = message.indexOf(': ')
  const code = message.slice(0, at)
  return isReason(code) ? { reason: code, text: message.slice(at + 2) } : { reason: null, text: message }
}

/** The first number of a text, for its translation; '' without one. */
export const numberIn = (text: string): string => text.match(/\d+/)?.[0] ?? ''

type AccountState = 'active' | 'no_password' | 'disabled'

/** How the status of an account looks. */
export const accountStateOf = (account: AccountView): AccountState =>
  account.disabled_at ? 'disabled' : account.has_password ? 'active' : 'no_password'

/** How the state of an account looks. */
export const ACCOUNT: Record<AccountState, StatusStyle> = {
  active: { tone: 'done' },
  no_password: { tone: 'waiting' },
  disabled: { tone: 'held' },
}
