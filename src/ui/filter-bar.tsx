'use client'
import { type ReactNode, useId, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import type { Filters } from '#lib/url-state.ts'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import type { Option } from './fields.tsx'
import { DateFilter, TextFilter, useTyped } from './filter-fields.tsx'
import { Icon } from './icon.tsx'

export type FilterSpec =
  | { kind: 'segmented' | 'select'; key: string; label: string; options: readonly Option[] }
  | { kind: 'search' | 'text' | 'date'; key: string; label: string }

const TYPED = { search: SearchBox, text: TextFilter, date: DateFilter }

type Props = {
  /** From `useFilters`: the filters in the URL. */
  filters: Filters
  specs: readonly FilterSpec[]
  /** Exact (12), at least (≥ 10 000) or about (≈ 4 000): as the server reported it. It changes by itself, so it is not announced. */
  count?: string
  /** What can be done with what is listed, after the filters. */
  children?: ReactNode
}

/** The filters of a list, bound to the URL, so that a view can be shared, and Back undoes a change. `/` goes to the search. */
export function FilterBar({ filters, specs, count, children }: Props) {
  const t = useTranslations('ui')
  return (
    <search
      aria-label={t('filters')}
      onBlur={filters.settle}
      className="flex flex-wrap items-center gap-2 pb-3"
    >
      {specs.map((spec) => {
        const value = filters.values[spec.key] ?? ''
        const set = (next: string, how?: 'typed') => filters.set({ [spec.key]: next || null }, how)
        if ('options' in spec) {
          const Control = spec.kind === 'segmented' ? Segmented : Select
          return (
            <Control
              key={spec.key}
              label={spec.label}
              options={spec.options}
              value={value}
              onChange={(next) => set(next)}
            />
          )
        }
        const Typed = TYPED[spec.kind]
        return <Typed key={spec.key} label={spec.label} value={value} onChange={set} />
      })}
      {filters.active ? (
        <Button
          data-chrome
          kind="quiet"
          size="sm"
          icon={<Icon name="x" className="size-3.5" />}
          onClick={filters.clear}
        >
          {t('clear')}
        </Button>
      ) : null}
      {count || children ? (
        <span className="ml-auto flex items-center gap-2">
          {count ? <span className="text-sm text-ink-3">{count}</span> : null}
          {children ? (
            <span data-chrome className="flex items-center gap-1">
              {children}
            </span>
          ) : null}
        </span>
      ) : null}
    </search>
  )
}

type ControlProps = {
  label: string
  options: readonly Option[]
  value: string
  onChange: (value: string) => void
}

/** A few choices side by side; the empty value is "all" where the options say so. Where they are too wide they go on in another row, so that none is out of sight. */
export function Segmented({ label, options, value, onChange }: ControlProps) {
  const name = useId()
  return (
    <fieldset className="relative flex min-w-0 max-w-full flex-wrap rounded border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((o) => (
        <label
          key={o.value}
          className={cx(
            'flex h-[26px] shrink-0 cursor-pointer items-center whitespace-nowrap rounded-[4px] px-2.5 text-sm transition-colors has-focus-visible:outline-2 has-focus-visible:outline-focus pointer-coarse:h-10',
            o.value === value
              ? 'bg-surface font-medium text-ink shadow-[0_0_0_1px_var(--color-line)]'
              : 'text-ink-2 hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            checked={o.value === value}
            onChange={() => onChange(o.value)}
            className="sr-only"
          />
          {o.label}
        </label>
      ))}
    </fieldset>
  )
}

function Select({ label, options, value, onChange }: ControlProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={cx(
        'h-8 max-w-44 rounded border border-line-strong/50 bg-surface px-2 text-sm hover:border-line-strong pointer-coarse:h-11',
        value ? 'font-medium text-ink' : 'text-ink-2',
      )}
    >
      {options.some((o) => o.value === '') ? null : <option value="">{label}</option>}
      {options.map((o) => (
        <option key={o.value} value={o.value}>
          {o.label}
        </option>
      ))}
    </select>
  )
}

function SearchBox({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string, how?: 'typed') => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped, pass] = useTyped(value, (next) => onChange(next, 'typed'))
  const t = useTranslations('ui')
  useAction({
    id: 'filter.search',
    label: `${t('search')}: ${label}`,
    keys: '/',
    run: () => input.current?.focus(),
  })
  return (
    <label className="relative block min-w-40 flex-1 basis-44 max-sm:basis-full sm:max-w-72">
      <span className="sr-only">{label}</span>
      <Icon
        name="search"
        className="pointer-events-none absolute left-2 top-1/2 size-3.5 -translate-y-1/2 text-ink-3"
      />
      <input
        ref={input}
        type="search"
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={pass}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          // The browser's own Escape would empty the field.
          event.preventDefault()
          event.currentTarget.blur()
        }}
        className="h-8 w-full rounded border border-line-strong/50 bg-surface pl-7 pr-2 text-base hover:border-line-strong pointer-coarse:h-11"
      />
    </label>
  )
}
