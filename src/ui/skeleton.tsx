import { cx } from './cx.ts'

const WIDTHS = ['w-3/5', 'w-2/5', 'w-1/2', 'w-1/3', 'w-3/4']

/** The shape of what comes, after a moment; `lines` of text. */
export function Skeleton({ lines = 3, label }: { lines?: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="after-a-moment grid gap-3 py-2">
      {Array.from({ length: lines }, (_, i) => `line-${i}`).map((key, i) => (
        <div key={key} className={cx('skeleton h-4', WIDTHS[i % WIDTHS.length])} />
      ))}
    </div>
  )
}

/** Rows of a table to come, at the height the rows will have. */
export function SkeletonRows({ rows = 8, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="after-a-moment">
      {Array.from({ length: rows }, (_, i) => `row-${i}`).map((key, i) => (
        <div key={key} className="flex h-(--row) items-center gap-6 border-b border-line">
          <div className="skeleton h-3.5 w-24" />
          <div className={cx('skeleton h-3.5', WIDTHS[i % WIDTHS.length])} />
          <div className="skeleton ml-auto h-3.5 w-16" />
        </div>
      ))}
    </div>
  )
}
