import type { InboxState } from '#domain/inbox/inbox.machine.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How each state of an Inbox Entry looks ([inbox#states]). */
export const STATUS_STYLES: Record<InboxState, StatusStyle> = {
  pending: { tone: 'waiting' },
  processed: { tone: 'done' },
  rejected: { tone: 'failed', icon: STATUS_ICONS.refused },
  expired: { tone: 'held' },
}
