'use client'
import { useTable } from '@tanstack/react-table'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { useSteady } from '#lib/modals.ts'
import { showUrl } from '#lib/shown-path.ts'
import { useGo } from '#lib/use-go.ts'
import { Button } from './button.tsx'
import { type Columns, kitFeatures } from './data-table-columns.ts'
import { TableHead } from './data-table-head.tsx'
import { TableRow, toggled } from './data-table-row.tsx'
import { EmptyState } from './empty-state.tsx'
import { ErrorState } from './error-state.tsx'
import { Kbd } from './kbd.tsx'
import { SkeletonRows } from './skeleton.tsx'
import { type StableRows, useStableRows } from './stable-rows.ts'
import { useGoing } from './use-going.ts'
import { useRowKeys } from './use-row-keys.ts'

export type Sorting = { value: string; onChange: (value: string) => void }
export type Selection = { ids: ReadonlySet<string>; onChange: (ids: ReadonlySet<string>) => void }

export type ShownRows = { scope: string; ids: readonly string[]; removed: ReadonlySet<string> }

export type DataTableProps<Row extends object> = {
  /** The accessible name of the list. */
  label: string
  columns: Columns<Row>
  /** Undefined while the first answer is on its way. */
  rows: readonly Row[] | undefined
  /** Stays what it was at first. */
  rowId: (row: Row) => string
  /** The row in a few words, for its checkbox. */
  rowName?: (row: Row) => string
  /** Where a row leads; Enter and a click go there. */
  href?: (row: Row) => string
  /** The row opens on this very page (list and detail): its address is shown without asking the server for a page. */
  beside?: boolean
  /** The row whose details are open beside the list. */
  openId?: string | null
  /** The filters and sorting as one string: another scope starts the list anew, the same keeps it still. */
  scope: string
  error?: unknown
  onRetry?: () => void
  /** True when a filter is on: an empty list then shows "No results" and offers to clear. */
  filtered?: boolean
  onClearFilters?: () => void
  empty: ReactNode
  sorting?: Sorting
  selection?: Selection
  more?: { has: boolean; loading: boolean; load: () => void }
  /** What is known of rows that have left the list: they stay on screen with these changes until the reader refreshes it. */
  departed?: ReadonlyMap<string, Partial<Row>>
  /** Told which rows are on screen, in their order, and which of them have left the list; keep it stable. */
  onShown?: (shown: ShownRows) => void
  /** Off for a table that is not the main list of its page: it then takes no keys. */
  keyboard?: boolean
}

/**
 * The list of the console: dense rows, one keyboard (j k Enter x), the common states, cards on a phone. It never moves by
 * itself: new rows are announced and wait, rows that left stay with what became of them. Once the last one has left, `empty` below
 * them says so, and nothing asks to refresh. Beside a detail there is one mark only: j and k open the row they go to.
 */
export function DataTable<Row extends object>(given: DataTableProps<Row>) {
  const [rowId] = useState(() => given.rowId)
  // What was opened from a row stays open when the list is read anew, though the row has left it.
  const props = { ...given, rowId, scope: useSteady(given.scope) }
  const { rows, error, onRetry, filtered = false, empty, scope, more, departed } = props
  const t = useTranslations('ui')
  const left = useMemo(() => new Set(departed?.keys()), [departed])
  const stable = useStableRows(rows ?? NO_ROWS, {
    idOf: rowId,
    scope: rows ? scope : `${scope}…`,
    complete: !more?.has,
    departed: left,
  })
  useShown(props, stable)
  const { rows: onScreen, removed } = stable
  const shown = useMemo(
    () => onScreen.map((row) => (removed.has(rowId(row)) ? { ...row, ...departed?.get(rowId(row)) } : row)),
    [onScreen, removed, departed, rowId],
  )
  if (!rows)
    return error ? <ErrorState error={error} {...retry(onRetry)} /> : <SkeletonRows label={t('loading')} />
  const ended = rows.length === 0 && !filtered
  return (
    <>
      {error ? <ErrorState error={error} keepsData {...retry(onRetry)} /> : null}
      {ended ? null : (
        <RefreshBar
          newCount={stable.newCount}
          removedCount={stable.removed.size}
          show={stable.show}
          keyboard={props.keyboard ?? true}
        />
      )}
      {shown.length > 0 ? (
        <Body {...props} rows={shown} removed={stable.removed} />
      ) : filtered ? (
        <NoMatch clear={props.onClearFilters} />
      ) : null}
      <div role="status">{ended ? empty : null}</div>
    </>
  )
}
/** Tells the page what is on screen whenever that changes. */
function useShown<Row extends object>(
  { rows, rowId, scope, onShown }: DataTableProps<Row>,
  { rows: shown, removed }: StableRows<Row>,
): void {
  const known = rows !== undefined
  const ids = shown.map(rowId)
  const key = ids.map((id) => (removed.has(id) ? `${id}×` : id)).join(' ')
  const latest = useRef({ scope, ids, removed })
  useEffect(() => {
    latest.current = { scope, ids, removed }
  })
  useEffect(() => {
    // Read again for each `key` and `scope`: what they name is in the ref.
    if (known && key !== null && scope !== null) onShown?.(latest.current)
  }, [known, key, scope, onShown])
}

const NO_ROWS: never[] = []
const retry = (onRetry: (() => void) | undefined) => (onRetry ? { onRetry } : {})

const REFRESH_KEY = '.'

type RefreshProps = { newCount: number; removedCount: number; show: () => void; keyboard: boolean }

function RefreshBar({ newCount, removedCount, show, keyboard }: RefreshProps) {
  const t = useTranslations('ui')
  const due = newCount + removedCount > 0
  useAction(
    due && keyboard
      ? { id: 'list.refresh', label: t('refreshList'), keys: REFRESH_KEY, group: t('list'), run: show }
      : null,
  )
  const parts = [
    ...(newCount > 0 ? [t('showNew', { count: newCount })] : []),
    ...(removedCount > 0 ? [t('noLongerMatch', { count: removedCount })] : []),
    ...(newCount > 0 ? [] : [t('refresh')]),
  ]
  return (
    <>
      {/* Said once until the list is refreshed: the numbers may change with every event. */}
      <p role="status" className="sr-only">
        {due ? t('listChanged') : null}
      </p>
      {due ? (
        <div className="sticky top-2 z-10 mb-2 flex justify-center">
          <button
            type="button"
            onClick={show}
            className="rise h-7 rounded-full bg-accent px-3 text-sm font-medium text-on-accent shadow-float hover:bg-accent-strong pointer-coarse:h-11"
          >
            {parts.join(' · ')}
            {keyboard ? <Kbd keys={REFRESH_KEY} quiet /> : null}
          </button>
        </div>
      ) : null}
    </>
  )
}

function NoMatch({ clear }: { clear: (() => void) | undefined }) {
  const t = useTranslations('ui')
  return (
    <EmptyState title={t('noMatch')} action={clear ? <Button onClick={clear}>{t('clear')}</Button> : null}>
      {t('noMatchHint')}
    </EmptyState>
  )
}

function Body<Row extends object>(
  props: DataTableProps<Row> & { rows: readonly Row[]; removed: ReadonlySet<string> },
) {
  const { columns, rows, rowId, href, openId, selection, sorting, more, keyboard = true, label } = props
  const t = useTranslations('ui')
  const go = useGo()
  const [focused, setFocused] = useState<string | null>(null)
  const table = useTable({
    features: kitFeatures,
    columns: columns as never,
    data: rows as Row[],
    getRowId: rowId as never,
  })
  const ids = rows.map(rowId)
  const beside = props.beside ?? false
  const open = (id: string) => {
    const row = rows.find((r) => rowId(r) === id)
    if (!row || !href) return
    if (beside) showUrl(href(row), Boolean(openId))
    else go(href(row))
  }
  const going = useGoing(openId ?? null)
  const moveTo = (id: string) => {
    going.to(id)
    open(id)
  }
  useRowKeys({
    on: keyboard,
    ids,
    focused: () => (beside ? going.from() : (focused ?? openId ?? null)),
    setFocused: beside ? moveTo : setFocused,
    open: href ? open : undefined,
    selection,
  })
  const actions = useRowActions({ selection, beside, setFocused })
  return (
    <>
      <table aria-label={label} className="w-full border-collapse text-base max-md:block">
        <TableHead
          headers={table.getHeaderGroups()[0]?.headers ?? []}
          sorting={sorting}
          selection={selection}
          ids={ids}
        />
        <tbody className="max-md:block">
          {table.getRowModel().rows.map((row) => (
            <TableRow
              key={row.id}
              row={row as never}
              columns={columns}
              open={row.id === openId}
              focused={row.id === (beside ? openId : focused)}
              removed={props.removed.has(row.id)}
              href={href?.(row.original as Row)}
              beside={beside}
              name={props.rowName?.(row.original as Row) ?? row.id}
              selected={selection ? selection.ids.has(row.id) : null}
              {...actions}
            />
          ))}
        </tbody>
      </table>
      {more?.has ? (
        <div className="flex justify-center py-4">
          <Button onClick={more.load} busy={more.loading}>
            {more.loading ? t('loadingMore') : t('more')}
          </Button>
        </div>
      ) : null}
    </>
  )
}

type RowActions = { selection: Selection | undefined; beside: boolean; setFocused: (id: string) => void }

/** What a row calls: the same functions for as long as the list stands, so that a row is drawn again only when it has changed. */
function useRowActions(given: RowActions) {
  const latest = useRef(given)
  useEffect(() => {
    latest.current = given
  })
  return useMemo(
    () => ({
      onSelect: (id: string, on: boolean) => {
        const { selection } = latest.current
        selection?.onChange(toggled(selection.ids, id, on))
      },
      onOpen: (id: string) => {
        if (!latest.current.beside) latest.current.setFocused(id)
      },
    }),
    [],
  )
}
