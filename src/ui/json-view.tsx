'use client'
import { useTranslations } from 'use-intl/react'
import { Icon } from './icon.tsx'

/** JSON as a tree that folds; `open` is how many levels start open. */
export function JsonView({ value, open = 2 }: { value: unknown; open?: number }) {
  return (
    <div
      data-json
      className="relative overflow-x-auto rounded bg-sunken px-3 py-2 font-mono text-sm leading-6"
    >
      <Node value={value} depth={open} />
    </div>
  )
}

function Node({ value, name, depth }: { value: unknown; name?: string; depth: number }) {
  if (value === null || typeof value !== 'object') {
    return (
      <div className="pl-4">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    )
  }
  const entries = Array.isArray(value) ? value.map((v, i) => [String(i), v] as const) : Object.entries(value)
  return <Branch name={name} entries={entries} list={Array.isArray(value)} depth={depth} />
}

type BranchProps = {
  name: string | undefined
  entries: readonly (readonly [string, unknown])[]
  list: boolean
  depth: number
}

function Branch({ name, entries, list, depth }: BranchProps) {
  const t = useTranslations('ui')
  return (
    <details open={depth > 0} className="group/node">
      <summary className="flex items-center rounded hover:bg-hover">
        <Icon name="chevron-right" className="size-3.5 shrink-0 text-ink-3 [[open]>summary>&]:rotate-90" />
        <span className="pl-0.5">
          <Name name={name} />
          <span className="text-ink-3">
            {list ? '[' : '{'} {t('items', { count: entries.length })} {list ? ']' : '}'}
          </span>
        </span>
      </summary>
      <div className="ml-[7px] border-l border-line pl-2">
        {entries.map(([key, child]) => (
          <Node key={key} name={key} value={child} depth={depth - 1} />
        ))}
      </div>
    </details>
  )
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : <span className="text-ink-3">{name}: </span>

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string')
    return <span className="whitespace-pre-wrap break-words text-done">"{value}"</span>
  if (typeof value === 'number') return <span className="text-working">{String(value)}</span>
  return <span className="text-dead">{String(value)}</span>
}
