import type { ReactNode } from 'react'

export type FieldRow = { label: ReactNode; value: ReactNode; id?: string }

/** Facts about an object: name left, value right; one below the other in a column of a page, a container, that is too narrow for both. Rows without a value are left out by the caller. */
export function FieldList({ rows }: { rows: readonly FieldRow[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] gap-x-6 gap-y-1.5 text-base max-sm:grid-cols-[minmax(5rem,8.5rem)_minmax(0,1fr)] max-sm:gap-x-4 @max-sm:block">
      {rows.map((row) => (
        <div key={row.id ?? (typeof row.label === 'string' ? row.label : undefined)} className="contents">
          <dt className="min-w-0 text-ink-3 [overflow-wrap:anywhere] @max-sm:text-sm">{row.label}</dt>
          <dd className="min-w-0 break-words text-ink @max-sm:mb-2">{row.value}</dd>
        </div>
      ))}
    </dl>
  )
}
