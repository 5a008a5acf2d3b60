import type { AlertView } from '#contracts/alert.contract.ts'
import type { AlertState } from '#domain/alert/alert.machine.ts'
import type { Severity } from '#domain/alert/condition.ts'
import type { RuleName } from '#domain/alert/conditions.ts'
import type { DeliveryState } from '#domain/alert/delivery.machine.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

/** How each state of an alert looks. */
export const STATUS_STYLES: Record<AlertState, StatusStyle> = {
  open: { tone: 'waiting' },
  acknowledged: { tone: 'held' },
  closed: { tone: 'done' },
}

/** How each severity looks. */
export const SEVERITY_STYLES: Record<Severity, StatusStyle> = {
  warning: { tone: 'waiting' },
  critical: { tone: 'failed' },
}

/** How each state of a message looks. */
export const DELIVERY_STYLES: Record<DeliveryState, StatusStyle> = {
  pending: { tone: 'waiting' },
  delivered: { tone: 'done' },
  failed: { tone: 'failed' },
}

const RANK = { open: 0, acknowledged: 1, closed: 2 } as const satisfies Record<AlertState, number>

/** What needs somebody first: open before acknowledged, critical before warning, the newest first. */
export const byUrgency = (a: AlertView, b: AlertView): number =>
  RANK[a.status] - RANK[b.status] ||
  Number(b.severity === 'critical') - Number(a.severity === 'critical') ||
  b.opened_at.localeCompare(a.opened_at)

const PAGES: Record<RuleName, string> = {
  JobQueuedTooLong: '/jobs?status=QUEUED',
  DeadJobRate: '/jobs?tab=failures',
  DeadJobs: '/jobs?status=DEAD',
  ArtifactWriteFailing: '/settings',
  ContextTimeouts: '/jobs?tab=failures',
  NlmDown: '/settings',
  RunFailures: '/runs?status=failed',
  RunSlow: '/runs?status=completed',
  AgentFailing: '/agents',
  ProposalWaiting: '/proposals',
  ApplyFailing: '/proposals?tab=failed',
  WorkerLost: '/settings',
  NoWorker: '/tasks?status=queued',
  BreakerOpen: '/workers',
  FenceRefusals: '/audit?outcome=refused',
  StorageDown: '/settings',
  StorageFull: '/settings',
  AuditLag: '/settings',
  AuditBroken: '/audit',
  RemoteLag: '/settings',
  LeaderMissing: '/leadership',
  TermRegression: '/leadership',
  RefusalBurst: '/audit?outcome=refused',
  SloBurn: '/jobs?tab=failures',
}

/** Where to look: the page that shows what the alert is about. */
export function pageOf({
  rule,
  condition,
  resource,
}: Pick<AlertView, 'rule' | 'condition' | 'resource'>): string {
  if (rule === 'AgentFailing') return `/agents/${encodeURIComponent(resource)}`
  return condition === 'node_silent' ? '/workers' : PAGES[rule]
}
