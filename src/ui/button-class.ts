import { cx } from './cx.ts'

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

const KIND: Record<ButtonKind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent font-medium',
  secondary: 'bg-surface text-ink border-line-strong/60 hover:bg-hover',
  quiet: 'bg-transparent text-ink-2 border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-failed text-on-failed border-transparent font-medium hover:opacity-90',
}

/** The styles of a button, for links that look like one and for pages that load nothing else of the kit. */
export function buttonClass(kind: ButtonKind = 'secondary', size: ButtonSize = 'md'): string {
  return cx(
    'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded border transition-colors',
    'aria-disabled:opacity-55 aria-disabled:hover:bg-inherit',
    size === 'sm' && 'h-7 px-2 text-sm pointer-coarse:h-9',
    size === 'md' && 'h-8 px-3 text-sm pointer-coarse:h-11 pointer-coarse:px-4 pointer-coarse:text-base',
    size === 'lg' && 'h-11 px-4 text-base',
    KIND[kind],
  )
}
