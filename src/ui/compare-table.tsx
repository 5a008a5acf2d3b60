import type { ReactNode } from 'react'
import { cx } from './cx.ts'

export type CompareRow = {
  id: string
  label: ReactNode
  left: ReactNode
  right: ReactNode
  /** How the two differ, in a word; null where they are alike. */
  difference?: string | null
  /** It is the first difference of the page: `goToFirstDifference` leads here. */
  isFirst?: boolean
}

type Props = {
  /** What is compared; the accessible name of the table. */
  label: string
  /** Heads of the columns: what a row is of, the two sides, how they differ. Where a phone stacks the sides, each has its head beside it. */
  heads: { row: string; left: string; right: string; difference: string }
  rows: readonly CompareRow[]
}

const FIRST = 'data-first-difference'

/** Attributes of the place that is the first difference of its page. */
export const firstDifference = (isFirst: boolean | undefined) =>
  isFirst ? { [FIRST]: '', tabIndex: -1 } : {}

/** Takes the reader to the first difference of the page, opening what hides it. */
export function goToFirstDifference(): void {
  const place = document.querySelector<HTMLElement>(`[${FIRST}]`)
  place?.closest('details')?.setAttribute('open', '')
  place?.scrollIntoView({ block: 'center' })
  place?.focus({ preventScroll: true })
}

const CELL = 'py-1.5 pr-4 align-top break-words [overflow-wrap:anywhere] max-md:block max-md:p-0'

/** Facts of two objects side by side; a difference is told by a word, not by colour alone. A phone stacks the sides below their name. */
export function CompareTable({ label, heads, rows }: Props) {
  return (
    <table aria-label={label} className="w-full table-fixed border-collapse text-base max-md:block">
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-left text-sm text-ink-3">
          <th scope="col" className="w-44 py-1.5 pr-4 font-medium">
            {heads.row}
          </th>
          <th scope="col" className="py-1.5 pr-4 font-medium">
            {heads.left}
          </th>
          <th scope="col" className="py-1.5 pr-4 font-medium">
            {heads.right}
          </th>
          <th scope="col" className="w-32 py-1.5 font-medium">
            {heads.difference}
          </th>
        </tr>
      </thead>
      <tbody className="max-md:block">
        {rows.map((row) => (
          <Row key={row.id} row={row} heads={heads} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ row, heads }: { row: CompareRow; heads: Props['heads'] }) {
  const { label, left, right, difference } = row
  return (
    <tr
      {...firstDifference(row.isFirst)}
      className={cx(
        'border-b border-line max-md:block max-md:py-2',
        row.isFirst && 'bg-selected shadow-[inset_2px_0_0_var(--color-accent)]',
      )}
    >
      <th scope="row" className={cx(CELL, 'pl-2 text-left font-normal text-ink-3')}>
        {label}
      </th>
      <Side name={heads.left}>{left}</Side>
      <Side name={heads.right}>{right}</Side>
      <td className={cx(CELL, 'pr-0 text-sm font-medium text-waiting max-md:empty:hidden')}>{difference}</td>
    </tr>
  )
}

function Side({ name, children }: { name: string; children: ReactNode }) {
  return (
    <td className={cx(CELL, 'max-md:flex max-md:gap-2')}>
      <span aria-hidden className="w-20 shrink-0 text-sm text-ink-3 md:hidden">
        {name}
      </span>
      <div className="min-w-0">{children}</div>
    </td>
  )
}
