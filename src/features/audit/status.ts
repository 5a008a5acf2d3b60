import type { AuditEventView } from '#contracts/audit.contract.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How an outcome looks. */
export const OUTCOME: Record<AuditEventView['outcome'], StatusStyle> = {
  ok: { tone: 'done' },
  refused: { tone: 'held', icon: STATUS_ICONS.refused },
  error: { tone: 'failed' },
}

const ROOM: Record<string, string> = {
  proposal: '/proposals',
  run: '/runs',
  job: '/jobs',
  artifact: '/artifacts',
  agent: '/agents',
  inbox: '/inbox',
  zone: '/zones',
  alert: '/alerts',
  task: '/tasks',
  worker: '/workers',
}

/** Where an object of an event can be looked at, or null. */
export function addressOf({ type, id }: AuditEventView['resource']): string | null {
  const room = ROOM[type]
  return room ? `${room}/${encodeURIComponent(id)}` : null
}
