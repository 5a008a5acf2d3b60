'use client'
import { type KeyboardEvent, useRef, useState } from 'react'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'
import { isBranch, type TreeNode, type TreeRow, treeRows, treeStep, typedRow } from './tree-model.ts'

type Props = {
  /** The accessible name. */
  label: string
  nodes: readonly TreeNode[]
  open: ReadonlySet<string>
  onToggle: (ids: readonly string[], open: boolean) => void
  /** The node of the page that is shown. */
  current?: string | null
  /** Somebody followed a link of the tree. */
  onFollow?: () => void
}

/** Letters typed within this many milliseconds belong together. */
const TYPING_MS = 700

/** Links as a tree: arrows move, open and close; Home, End and letters jump; Enter follows. One tab stop. */
export function Tree({ label, nodes, open, onToggle, current = null, onFollow }: Props) {
  const rows = treeRows(nodes, open)
  const [last, setLast] = useState<string | null>(null)
  const root = useRef<HTMLDivElement>(null)
  const typing = useRef({ text: '', at: 0 })
  const isThere = (id: string | null) => id !== null && rows.some((row) => row.node.id === id)
  const stop = isThere(last) ? last : isThere(current) ? current : rows[0]?.node.id
  const itemOf = (id: string) => root.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)
  const moveTo = (id: string) => {
    setLast(id)
    itemOf(id)?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || stop === undefined || stop === null) return
    if (event.key === 'Enter') {
      event.preventDefault()
      return itemOf(stop)?.querySelector('a')?.click()
    }
    const step = treeStep(event.key, { rows, open, id: stop })
    const letter = !step && [...event.key].length === 1 && event.key !== ' ' ? event.key : ''
    if (!step && !letter) return
    // Letters are the tree's own while it has the focus; keys of the page would take them otherwise.
    event.preventDefault()
    if (step?.kind === 'toggle') onToggle(step.ids, step.open)
    else if (step) moveTo(step.id)
    else {
      const { text, at } = typing.current
      const typed = event.timeStamp - at < TYPING_MS ? text + letter : letter
      typing.current = { text: typed, at: event.timeStamp }
      const found = typedRow(rows, stop, typed)
      if (found !== null) moveTo(found)
    }
  }
  return (
    <div ref={root} role="tree" aria-label={label} onKeyDown={onKey}>
      {rows.map((row) => (
        <Row
          key={row.node.id}
          row={row}
          isOpen={open.has(row.node.id)}
          isCurrent={row.node.id === current}
          isStop={row.node.id === stop}
          onToggle={onToggle}
          onFollow={() => {
            setLast(row.node.id)
            onFollow?.()
          }}
        />
      ))}
    </div>
  )
}

type RowProps = Pick<Props, 'onToggle'> & {
  row: TreeRow
  isOpen: boolean
  isCurrent: boolean
  isStop: boolean
  onFollow: () => void
}

/** Deeper levels are not moved further in: the names need the width. */
const DEEPEST = 8

function Row({ row: { node, level, at, of }, isOpen, isCurrent, isStop, onToggle, onFollow }: RowProps) {
  const branch = isBranch(node)
  return (
    <div
      role="treeitem"
      data-node={node.id}
      tabIndex={isStop ? 0 : -1}
      aria-level={level}
      aria-posinset={at}
      aria-setsize={of}
      aria-expanded={branch ? isOpen : undefined}
      aria-selected={isCurrent}
      aria-current={isCurrent ? 'page' : undefined}
      className={cx(
        'flex min-h-7 items-center rounded pr-2 text-sm hover:bg-hover pointer-coarse:min-h-11',
        INDENT[Math.min(level, DEEPEST) - 1],
        isCurrent ? 'bg-selected font-medium text-ink' : 'text-ink-2',
      )}
    >
      {branch ? (
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          onClick={() => onToggle([node.id], !isOpen)}
          className="grid size-6 shrink-0 place-items-center text-ink-3 hover:text-ink pointer-coarse:size-11"
        >
          <Icon name="chevron-right" className={cx('size-3.5 transition-transform', isOpen && 'rotate-90')} />
        </button>
      ) : (
        <span className="w-6 shrink-0 pointer-coarse:w-11" />
      )}
      <Link
        quiet
        href={node.href}
        tabIndex={-1}
        onClick={onFollow}
        className="flex min-w-0 flex-1 items-baseline gap-2 self-stretch py-1 no-underline hover:no-underline pointer-coarse:py-3"
      >
        <span className="min-w-0 flex-1 truncate">{node.label}</span>
        {node.count === undefined ? null : (
          <span className="tabular shrink-0 text-xs text-ink-3">{node.count}</span>
        )}
      </Link>
    </div>
  )
}

const INDENT = ['pl-0', 'pl-3', 'pl-6', 'pl-9', 'pl-12', 'pl-15', 'pl-18', 'pl-21']
