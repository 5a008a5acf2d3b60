import type { SourceNow, SourceState } from '#contracts/artifact.contract.ts'
import type { Grounding } from '#contracts/research.contract.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'

/** How each grounding status looks. */
export const GROUNDING: Record<Grounding['status'], StatusStyle> = {
  grounded: { tone: 'done' },
  partial: { tone: 'waiting' },
  ungrounded: { tone: 'failed' },
}

/** How the present state of a source looks. */
export const SOURCE_STATE: Record<SourceState, StatusStyle> = {
  same: { tone: 'done' },
  moved: { tone: 'held', icon: 'arrow-up-down' },
  changed: { tone: 'waiting', icon: 'file-pen-line' },
  deleted: { tone: 'failed', icon: 'file-x' },
  unfound: { tone: 'failed' },
  external: { tone: 'held', icon: 'circle-off' },
}

/** Whether the garden no longer has what was cited. */
export const isGone = (now: SourceNow | undefined): boolean =>
  now?.state === 'changed' || now?.state === 'deleted'
