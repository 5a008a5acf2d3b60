import { cx } from './cx.ts'
import { TONE_FILL, type Tone } from './tone.ts'

type Props = { label: string; value: number; max?: number; tone?: Tone; className?: string }

/** How far something is, or how much of a limit is used. The words beside it are the caller's. */
export function ProgressBar({ label, value, max = 100, tone = 'working', className }: Props) {
  const share = max > 0 ? Math.min(Math.max(value / max, 0), 1) : 0
  return (
    // A span, so that it may stand in a line of text.
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      className={cx('block h-1.5 w-full', className)}
    >
      <svg aria-hidden="true" className="block h-full w-full" preserveAspectRatio="none">
        <rect width="100%" height="100%" rx="3" className="fill-line" />
        <rect width={`${share * 100}%`} height="100%" rx="3" className={TONE_FILL[tone]} />
      </svg>
    </span>
  )
}
