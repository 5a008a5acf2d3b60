import type { MachineKeyState } from '#domain/machine-key/machine-key.machine.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How each state of a machine key looks. */
export const KEY_STYLES: Record<MachineKeyState, StatusStyle> = {
  active: { tone: 'done' },
  expired: { tone: 'held' },
  revoked: { tone: 'held', icon: STATUS_ICONS.refused },
}
