import {
  Ban,
  Check,
  CircleDashed,
  CircleDot,
  Clock,
  Hand,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { TONE_SOFT, TONE_TEXT, type Tone } from './tone.ts'

/** How a room describes one state: `status.ts` of a room maps its machine's states to these. */
export type StatusStyle = { tone: Tone; icon?: LucideIcon }

const ICON: Record<Tone, LucideIcon> = {
  waiting: Clock,
  working: CircleDot,
  done: Check,
  failed: TriangleAlert,
  dead: Hand,
  held: CircleDashed,
}

/** Icons a room may choose beside the tone's own. */
export const STATUS_ICONS = { refused: Ban } as const

type Props = StatusStyle & {
  /** The word, in the reader's language. */
  children: ReactNode
  /** `soft` is a chip, `plain` is icon and word for rows of a table. */
  variant?: 'soft' | 'plain'
  /** Something is going on right now: the icon breathes. */
  busy?: boolean
}

/** A status by its shape alone, where words beside it say what it is. */
export function StatusIcon({ tone, icon }: StatusStyle) {
  const Icon = icon ?? ICON[tone]
  return <Icon className={cx('size-3.5 shrink-0', TONE_TEXT[tone])} strokeWidth={2.25} aria-hidden />
}

/** The one look of a status everywhere: tone, icon and word together, never colour alone. */
export function StatusBadge({ tone, icon, children, variant = 'plain', busy = tone === 'working' }: Props) {
  const Icon = icon ?? ICON[tone]
  return (
    <span
      data-status={tone}
      className={cx(
        'inline-flex items-center gap-1.5 text-sm',
        variant === 'soft' ? cx('min-h-6 rounded-full px-2 font-medium', TONE_SOFT[tone]) : TONE_TEXT[tone],
      )}
    >
      <Icon className={cx('size-3.5 shrink-0', busy && 'pulse')} strokeWidth={2.25} aria-hidden />
      <span>{children}</span>
    </span>
  )
}
