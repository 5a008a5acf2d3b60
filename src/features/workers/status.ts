import type { WorkerView } from '#contracts/worker.contract.ts'
import type { BreakerState } from '#domain/task/breaker.rules.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

/** How it looks whether a worker is there. */
export const WORKER_STYLES: Record<WorkerView['status'], StatusStyle> = {
  online: { tone: 'done' },
  offline: { tone: 'held' },
}

/** How each state of a breaker looks. */
export const BREAKER_STYLES: Record<BreakerState, StatusStyle> = {
  closed: { tone: 'done' },
  open: { tone: 'failed' },
  half_open: { tone: 'waiting' },
}
