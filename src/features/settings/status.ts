import type { AccountView } from '#contracts/auth.contract.ts'
import { HEALTH_REASONS, type HealthReason, type SystemHealth } from '#contracts/system.contract.ts'
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

/** The reason that a message begins with, and the rest of it. */
export function reasonOf(message: string): { reason: HealthReason | null; text: string } {
  const at = message.indexOf(': ')
  const reason = HEALTH_REASONS.find((known) => known === message.slice(0, at)) ?? null
  return { reason, text: reason ? message.slice(at + 2) : message }
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
