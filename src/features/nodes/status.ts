import type { NodeSync } from '#contracts/node.contract.ts'
import type { NodeState } from '#domain/membridge/liveness.rules.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

/** How each state of a node looks. */
export const NODE_STYLES: Record<NodeState, StatusStyle> = {
  online: { tone: 'done' },
  offline: { tone: 'held' },
  waiting: { tone: 'waiting' },
}

/** How each state of a sync looks. */
export const SYNC_STYLES: Record<NodeSync['status'], StatusStyle> = {
  pending: { tone: 'working' },
  completed: { tone: 'done' },
  failed: { tone: 'failed' },
  error: { tone: 'failed' },
}
