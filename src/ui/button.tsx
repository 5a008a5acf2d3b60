import { LoaderCircle } from 'lucide-react'
import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { cx } from './cx.ts'
import { Kbd } from './kbd.tsx'

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger'

const KIND: Record<Kind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent font-medium',
  secondary: 'bg-surface text-ink border-line-strong/60 hover:bg-hover',
  quiet: 'bg-transparent text-ink-2 border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-failed text-on-failed border-transparent font-medium hover:opacity-90',
}

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> & {
  kind?: Kind
  size?: 'sm' | 'md' | 'lg'
  icon?: ReactNode
  /** The key that does the same; shown, not bound (bind it by `useAction`). */
  keys?: string
  /** Shows a turning mark and refuses further clicks; the label stays. */
  busy?: boolean
  disabled?: boolean
  /** Why it is disabled: shown on hover and focus and announced by screen readers. */
  disabledReason?: string | undefined
}

const refuse = (event: MouseEvent) => event.preventDefault()

/** The styles of a button, for links that look like one. */
export function buttonClass(kind: Kind = 'secondary', size: 'sm' | 'md' | 'lg' = 'md'): string {
  return cx(
    'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded border transition-colors',
    'aria-disabled:opacity-55 aria-disabled:hover:bg-inherit',
    size === 'sm' && 'h-7 px-2 text-sm pointer-coarse:h-9',
    size === 'md' && 'h-8 px-3 text-sm pointer-coarse:h-11 pointer-coarse:px-4 pointer-coarse:text-base',
    size === 'lg' && 'h-11 px-4 text-base',
    KIND[kind],
  )
}

/** A button keeps its place in the tab order when it is disabled, so that its reason can be reached and heard. */
export function Button({
  kind = 'secondary',
  size = 'md',
  icon,
  keys,
  busy,
  disabled,
  disabledReason,
  children,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  const off = disabled || busy || disabledReason !== undefined
  return (
    <button
      type="button"
      {...rest}
      className={cx(buttonClass(kind, size), className)}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      data-tip={disabledReason}
      aria-description={disabledReason}
      onClick={off ? refuse : onClick}
    >
      {busy ? <LoaderCircle className="spin size-4" aria-hidden /> : icon}
      {children}
      {keys ? <Kbd keys={keys} quiet={kind === 'primary' || kind === 'danger'} /> : null}
    </button>
  )
}

export type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> & {
  /** What it does, in words: the accessible name and the tip. */
  label: string
  disabledReason?: string | undefined
  pressed?: boolean
}

/** A button of one icon; 32 px, 44 px under a finger. */
export function IconButton({
  label,
  disabledReason,
  pressed,
  className,
  children,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      aria-pressed={pressed}
      data-tip={disabledReason ?? label}
      aria-description={disabledReason}
      aria-disabled={disabledReason !== undefined || undefined}
      onClick={disabledReason === undefined ? onClick : undefined}
      className={cx(
        'inline-grid size-8 shrink-0 place-items-center rounded text-ink-2 transition-colors hover:bg-hover hover:text-ink pointer-coarse:size-11',
        'aria-pressed:bg-selected aria-pressed:text-accent aria-disabled:opacity-55 [&>svg]:size-4',
        className,
      )}
    >
      {children}
    </button>
  )
}
