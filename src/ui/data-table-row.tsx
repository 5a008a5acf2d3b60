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

/** A table makes its rows anew with every list that is read; what is shown of one is the same while its object is. */
const isSame = (a: Props, b: Props): boolean =>
  (Object.keys(b) as (keyof Props)[]).every((name) =>
    name === 'row' ? a.row.original === b.row.original : a[name] === b[name],
  )

/**
 * One row; on a phone a card with the same facts, by `data-table.css`. The whole row is the target of its one link. Drawn again when one of
 * its props is another: deciding one of many moves the mark of two rows.
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
      className={
        cx(
          (open || selected) && 'bg-selected',
          focused && 'shadow-[inset_2px_0_0_var(--color-accent)]',
          removed && 'text-ink-3',
        ) || undefined
      }
    >
      {selected !== null ? (
        <td data-card="mark">
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
  const { card = 'line' } = meta
  const content = contentOf(cell)
  return (
    <td
      data-card={card}
      data-alone={(card === 'title' && alone) || undefined}
      className={
        cx(
          meta.align === 'end' && 'tabular text-right',
          meta.wrap && 'whitespace-normal',
          meta.width?.includes('max-w-0') && 'truncate',
          meta.width,
        ) || undefined
      }
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
        >
          <LinkProgress />
        </NextLink>
      ) : null}
      {card === 'fact' ? (
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
