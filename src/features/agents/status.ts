import type { AgentState } from '#domain/agent/agent.machine.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

/** How each state of an Agent looks, everywhere. */
export const STATUS_STYLES: Record<AgentState, StatusStyle> = {
  draft: { tone: 'waiting' },
  active: { tone: 'done' },
  paused: { tone: 'held' },
  error: { tone: 'failed' },
  archived: { tone: 'held' },
  deleted: { tone: 'held' },
}
