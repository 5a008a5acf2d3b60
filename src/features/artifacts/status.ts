import type { Grounding } from '#contracts/research.contract.ts'
import type { StatusLook } from '#ui/status-badge.tsx'

/** How well an artifact rests on its sources. */
export const GROUNDING: Record<Grounding['status'], StatusLook> = {
  grounded: { tone: 'done' },
  partial: { tone: 'waiting' },
  ungrounded: { tone: 'failed' },
}
