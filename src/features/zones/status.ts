import type { ZoneState } from '#domain/zone/zone.machine.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How each state of a Zone looks. */
export const STATUS_STYLES: Record<ZoneState, StatusStyle> = {
  open: { tone: 'done' },
  expired: { tone: 'held' },
  revoked: { tone: 'held', icon: STATUS_ICONS.refused },
}
