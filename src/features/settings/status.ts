import type { AccountView } from '#contracts/auth.contract.ts'
import type { SystemHealth } from '#contracts/system.contract.ts'
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
