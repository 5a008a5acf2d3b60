import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { TONE_ICON, TONE_SOFT, TONE_TEXT, type Tone } from './tone.ts'

/** How a room describes one state: `status.ts` of a room maps its machine's states to these. */
export type StatusStyle = { tone: Tone; icon?: IconName }

/** Icons a room may choose beside the tone's own. */
export const STATUS_ICONS = { refused: 'ban' } as const satisfies Record<string, IconName>

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
  return <Icon name={icon ?? TONE_ICON[tone]} className={cx('icon-status', TONE_TEXT[tone])} />
}

/** The one look of a status everywhere: tone, icon and word together, never colour alone. */
export function StatusBadge({ tone, icon, children, variant = 'plain', busy = tone === 'working' }: Props) {
  return (
    <span
      data-status={tone}
      className={cx(
        'status',
        variant === 'soft' ? cx('min-h-6 rounded-full px-2 font-medium', TONE_SOFT[tone]) : TONE_TEXT[tone],
      )}
    >
      <Icon name={icon ?? TONE_ICON[tone]} className={cx('icon-status', busy && 'pulse')} />
      <span>{children}</span>
    </span>
  )
}
