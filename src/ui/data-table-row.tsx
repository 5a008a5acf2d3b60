'use client'
import type { Cell, Row } from '@tanstack/react-table'
import NextLink from 'next/link'
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { showUrl } from '#lib/shown-path.ts'
import { cx } from './cx.ts'
import type { ColumnMeta, KitFeatures } from './data-table-columns.ts'
import { CheckMark } from './fields.tsx'
import { LinkProgress } from './navigation-progress.tsx'

type Props = {
  row: Row<KitFeatures, never>
  /** The columns that `row` is drawn by. */
  columns: unknown
  open: boolean
  focused: boolean
  /** No longer in the list; shown until the reader refreshes it. */
  removed: boolean
  href: string | undefined
  beside: boolean
  name: string
  /** Null where rows cannot be selected. */
  selected: boolean | null
  onSelect: (id: string, on: boolean) => void
  onOpen: (id: string) => void
}

const CARD: Record<NonNullable<ColumnMeta['card']>, string> = {
  title: 'max-md:order-first max-md:grow max-md:whitespace-normal max-md:text-base max-md:font-medium',
  line: 'max-md:text-sm max-md:text-ink-2',
  fact: 'max-md:text-sm max-md:text-ink-2 max-md:has-[>[data-value]:empty]:hidden',
  corner: 'max-md:order-first max-md:text-sm',
  none: 'max-md:hidden',
}

/** A table makes its rows anew with every list that is read; what is shown of one is the same while its object is. */
const isSame = (a: Props, b: Props): boolean =>
  (Object.keys(b) as (keyof Props)[]).every((name) =>
    name === 'row' ? a.row.original === b.row.original : a[name] === b[name],
  )

/**
 * One row; on a phone a card with the same facts. The whole row is the target of its one link. Drawn again when one of its props is another:
 * deciding one of many moves the mark of two rows.
 */
export const TableRow = memo(function TableRow(props: Props) {
  const { row, open, focused, removed, href, beside, name, selected, onSelect, onOpen } = props
  const t = useTranslations('ui')
  const ref = useRef<HTMLTableRowElement>(null)
  // Together with the detail, which begins at its top: the page is laid out once for both.
  useLayoutEffect(() => {
    if (focused) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [focused])
  useEffect(() => {
    if (!focused) return
    if (!beside || isFree(document.activeElement))
      ref.current?.querySelector<HTMLElement>('a[data-stretch]')?.focus({ preventScroll: true })
  }, [focused, beside])
  const cells = row.getAllCells()
  const hasCorner = cells.some(
    ({ column }) => (column.columnDef.meta as ColumnMeta | undefined)?.card === 'corner',
  )
  return (
    <tr
      ref={ref}
      data-row={row.id}
      data-tip={removed ? t('noLongerMatches') : undefined}
      aria-current={open || undefined}
      className={cx(
        'group/row relative h-(--row) border-b border-line transition-colors',
        'max-md:flex max-md:h-auto max-md:flex-wrap max-md:items-center max-md:gap-x-3 max-md:gap-y-1 max-md:py-3',
        open || selected ? 'bg-selected' : 'hover:bg-hover',
        focused && 'shadow-[inset_2px_0_0_var(--color-accent)]',
        'has-[a[data-stretch]:focus-visible]:outline-2 has-[a[data-stretch]:focus-visible]:-outline-offset-2 has-[a[data-stretch]:focus-visible]:outline-focus',
        removed && 'text-ink-3',
      )}
    >
      {selected !== null ? (
        <td className="relative z-[1] w-8 pl-2 align-middle max-md:order-first max-md:w-auto max-md:p-0">
          <CheckMark
            label={t('selectRow', { name })}
            checked={selected}
            onChange={(on) => onSelect(row.id, on)}
          />
        </td>
      ) : null}
      {cells.map((cell, i) => (
        <DataCell
          key={cell.id}
          cell={cell as unknown as Cell<KitFeatures, never, never>}
          alone={selected === null && !hasCorner}
          {...(i === 0 && href ? { href, beside, onOpen: () => onOpen(row.id), name } : {})}
        />
      ))}
    </tr>
  )
}, isSame)

/** The focus follows the open row from another row or from nowhere; from a control of the detail it is not taken away. */
const isFree = (active: Element | null): boolean =>
  !active || active === document.body || active.id === 'content' || active.closest('tr[data-row]') !== null

/** The set with one id put in or taken out. */
export function toggled(ids: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  const next = new Set(ids)
  if (on) next.add(id)
  else next.delete(id)
  return next
}

type CellProps = {
  cell: Cell<KitFeatures, never, never>
  /** Nothing stands beside the title of the card. */
  alone: boolean
  href?: string
  beside?: boolean
  name?: string
  onOpen?: () => void
}

/**
 * What a cell shows. Its column is called, never drawn as a component: columns are made anew with the data they close over, and a new
 * component would mount the cell anew, which shuts a dialog or a menu that was opened from it.
 */
function contentOf(cell: CellProps['cell']): ReactNode {
  const { cell: show } = cell.column.columnDef
  return typeof show === 'function' ? show(cell.getContext()) : null
}

function DataCell({ cell, alone, href, beside, name, onOpen }: CellProps) {
  const meta = (cell.column.columnDef.meta ?? {}) as ColumnMeta
  const content = contentOf(cell)
  return (
    <td
      className={cx(
        'px-2 align-middle first:pl-2 [&_a:not([data-stretch])]:relative [&_a:not([data-stretch])]:z-[1] [&_button]:relative [&_button]:z-[1]',
        meta.align === 'end' && 'tabular text-right',
        !meta.wrap && 'md:whitespace-nowrap',
        meta.width?.includes('max-w-0') && 'truncate',
        meta.width,
        'max-md:w-auto max-md:max-w-full max-md:p-0 max-md:first:pl-0 max-md:empty:hidden',
        CARD[meta.card ?? 'line'],
        meta.card === 'title' && (alone ? 'max-md:basis-full' : 'max-md:basis-[calc(100%-4rem)]'),
      )}
    >
      {href ? (
        <NextLink
          href={href}
          prefetch={false}
          scroll={false}
          data-stretch
          aria-label={name}
          onClick={onOpen}
          data-beside={beside || undefined}
          onNavigate={(event) => {
            if (!beside) return
            event.preventDefault()
            showUrl(href)
          }}
          className="outline-none before:absolute before:inset-0"
        >
          <LinkProgress />
        </NextLink>
      ) : null}
      {meta.card === 'fact' ? (
        <>
          <span className="text-ink-3 md:hidden">{meta.header} </span>
          <span data-value>{content}</span>
        </>
      ) : (
        content
      )}
    </td>
  )
}
