import type { ZoneState } from '#domain/zone/zone.machine.ts'
import { STATUS_ICONS, type StatusLook } from '#ui/status-badge.tsx'

/** How each state of a Zone looks. */
export const LOOK: Record<ZoneState, StatusLook> = {
  open: { tone: 'done' },
  expired: { tone: 'held' },
  revoked: { tone: 'held', icon: STATUS_ICONS.refused },
}
