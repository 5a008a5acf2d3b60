import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { type ButtonKind, type ButtonSize, buttonClass } from './button-class.ts'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { Kbd } from './kbd.tsx'

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> & {
  kind?: ButtonKind
  size?: ButtonSize
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
      {busy ? <Icon name="loader-circle" className="spin size-4" /> : icon}
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
