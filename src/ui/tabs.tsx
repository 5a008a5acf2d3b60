'use client'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { cx } from './cx.ts'

export type Tab = { id: string; label: ReactNode; count?: number }

type Props = {
  label: string
  tabs: readonly Tab[]
  value: string
  onChange: (id: string) => void
  children: ReactNode
}

/** Tabs over one panel; arrows move between them. Where they are too wide they go on in another row. `children` is the panel of the chosen tab. */
export function Tabs({ label, tabs, value, onChange, children }: Props) {
  const id = useId()
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (!step) return
    const at = tabs.findIndex((t) => t.id === value)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onChange(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKey}
        className="mb-4 flex flex-wrap gap-x-5 shadow-[inset_0_-1px_var(--color-line)]"
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === value ? 0 : -1}
            onClick={() => onChange(tab.id)}
            className={cx(
              'flex h-9 shrink-0 items-center gap-1.5 border-b-2 text-base transition-colors',
              tab.id === value
                ? 'border-accent font-medium text-ink'
                : 'border-transparent text-ink-2 hover:text-ink',
            )}
          >
            {tab.label}
            {tab.count === undefined ? null : <span className="tabular text-sm text-ink-3">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </>
  )
}
