import type { Grounding } from '#contracts/research.contract.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

/** How each grounding status looks. */
export const GROUNDING: Record<Grounding['status'], StatusStyle> = {
  grounded: { tone: 'done' },
  partial: { tone: 'waiting' },
  ungrounded: { tone: 'failed' },
}
