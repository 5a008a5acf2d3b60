'use client'
import type { Header } from '@tanstack/react-table'
import { useTranslations } from 'use-intl/react'
import { cx } from './cx.ts'
import type { Selection, Sorting } from './data-table.tsx'
import type { ColumnMeta, KitFeatures } from './data-table-columns.ts'
import { CheckMark } from './fields.tsx'
import { Icon } from './icon.tsx'

type Props = {
  headers: readonly Header<KitFeatures, never, never>[] | readonly unknown[]
  sorting: Sorting | undefined
  selection: Selection | undefined
  ids: readonly string[]
}

/** The head of a table: names, sorting, and the box that takes all rows shown. */
export function TableHead({ headers, sorting, selection, ids }: Props) {
  const t = useTranslations('ui')
  const all = selection !== undefined && ids.length > 0 && ids.every((id) => selection.ids.has(id))
  return (
    <thead className="max-md:hidden">
      <tr className="h-8 text-left text-sm text-ink-3">
        {selection ? (
          <th scope="col" className="sticky top-0 z-[1] w-8 border-b border-line bg-canvas pl-2">
            <CheckMark
              label={t('selectAll')}
              checked={all}
              onChange={(on) => selection.onChange(new Set(on ? ids : []))}
            />
          </th>
        ) : null}
        {(headers as Header<KitFeatures, never, never>[]).map((header) => (
          <HeadCell key={header.id} header={header} sorting={sorting} />
        ))}
      </tr>
    </thead>
  )
}

function HeadCell({
  header,
  sorting,
}: {
  header: Header<KitFeatures, never, never>
  sorting: Sorting | undefined
}) {
  const meta = (header.column.columnDef.meta ?? {}) as ColumnMeta
  const descending = sorting?.value === `-${meta.sort}`
  const sorted =
    sorting && meta.sort
      ? sorting.value === meta.sort
        ? 'ascending'
        : descending
          ? 'descending'
          : 'none'
      : undefined
  // A column without a visible name is heard by the one it was given.
  const unseen = meta.header === '' && meta.name
  const content = unseen ? <span className="sr-only">{meta.name}</span> : meta.header
  return (
    <th
      scope="col"
      aria-sort={sorted}
      className={cx(
        'sticky top-0 z-[1] whitespace-nowrap border-b border-line bg-canvas px-2 font-medium',
        meta.align === 'end' && 'text-right',
        meta.width,
      )}
    >
      {sorting && meta.sort ? (
        <SortButton
          name={meta.name ?? header.id}
          sorted={sorted ?? 'none'}
          onClick={() => sorting.onChange(sorted === 'ascending' ? `-${meta.sort}` : (meta.sort as string))}
        >
          {content}
        </SortButton>
      ) : (
        content
      )}
    </th>
  )
}

type SortProps = {
  name: string
  sorted: 'ascending' | 'descending' | 'none'
  onClick: () => void
  children: React.ReactNode
}

function SortButton({ name, sorted, onClick, children }: SortProps) {
  const t = useTranslations('ui')
  const icon =
    sorted === 'ascending' ? 'arrow-up' : sorted === 'descending' ? 'arrow-down' : 'chevrons-up-down'
  return (
    <button
      type="button"
      onClick={onClick}
      data-tip={sorted === 'ascending' ? t('sortDescending', { name }) : t('sortAscending', { name })}
      className={cx(
        '-mx-1 inline-flex items-center gap-1 rounded px-1 hover:text-ink',
        sorted !== 'none' && 'text-ink',
      )}
    >
      {children}
      <Icon name={icon} className={cx('size-3', sorted === 'none' && 'opacity-50')} />
    </button>
  )
}
