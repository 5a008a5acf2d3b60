import type { ProposalState } from '#domain/proposal/proposal.machine.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How each state of a Proposal looks, everywhere. */
export const STATUS_STYLES: Record<ProposalState, StatusStyle> = {
  PENDING: { tone: 'waiting' },
  APPROVED: { tone: 'working' },
  AUTO_APPROVED: { tone: 'working' },
  APPLYING: { tone: 'working' },
  APPLIED: { tone: 'done' },
  REJECTED: { tone: 'held', icon: STATUS_ICONS.refused },
  DISCARDED: { tone: 'held' },
  FAILED: { tone: 'failed' },
  EXPIRED: { tone: 'held' },
}
