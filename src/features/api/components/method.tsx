import { cx } from '#ui/cx.ts'

/** Reads are quiet, what changes something is not. */
const COLORS: Record<string, string> = { GET: 'text-ink-3', DELETE: 'text-failed' }

/** The method of an operation, before its path. */
export const Method = ({ method }: { method: string }) => (
  <span className={cx('font-mono text-sm font-semibold', COLORS[method] ?? 'text-accent')}>{method}</span>
)
