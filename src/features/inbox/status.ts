import type { InboxState } from '#domain/inbox/inbox.machine.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How each state of an Inbox Entry looks (contract page 01, section 1.3). */
export const STATUS_STYLES: Record<InboxState, StatusStyle> = {
  pending: { tone: 'waiting' },
  processed: { tone: 'done' },
  rejected: { tone: 'failed', icon: STATUS_ICONS.refused },
  expired: { tone: 'held' },
}
