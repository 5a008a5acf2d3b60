'use client'
import { useTranslations } from 'use-intl/react'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'
import { linesOf } from '../source-place.ts'
import { isGone } from '../status.ts'
import { type NumberedSource, useSources } from './source-context.tsx'
import { useSourceName, useSourceState } from './source-state.tsx'

/** The places that a section leans on; each opens beside its chip. */
export function SourceChips({ sources }: { sources: readonly NumberedSource[] }) {
  const t = useTranslations('artifacts')
  if (sources.length === 0) return <p className="text-sm text-waiting">{t('noSource')}</p>
  return (
    <ul data-chrome className="m-0 mt-2 flex list-none flex-wrap gap-1.5 p-0">
      {sources.map((source) => (
        <li key={source.n} className="m-0 p-0">
          <SourceChip source={source} />
        </li>
      ))}
    </ul>
  )
}

function SourceChip({ source }: { source: NumberedSource }) {
  const { open, toggle } = useSources()
  const state = useSourceState(source.now)
  const gone = isGone(source.now)
  const name = useSourceName()(source)
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={source.n === open}
      onClick={(event) => toggle(source.n, event.currentTarget)}
      className={cx(
        'inline-flex h-6 max-w-80 items-center gap-1.5 rounded-full px-2 text-sm pointer-coarse:h-9',
        gone ? 'bg-waiting-soft text-waiting' : 'bg-accent-soft text-accent hover:bg-selected',
      )}
    >
      <span className="sr-only">{gone ? `${name}. ${state}` : name}</span>
      <span aria-hidden className="inline-flex min-w-0 items-center gap-1.5">
        <b className="tabular">{source.n}</b>
        <span className="truncate">{source.ref.split('/').at(-1)}</span>
        <span className="tabular whitespace-nowrap">{linesOf(source.lines)}</span>
        {gone ? (
          <span className="inline-flex items-center gap-1 whitespace-nowrap">
            <Icon name="triangle-exclamation-point" className="size-3" /> {state}
          </span>
        ) : null}
      </span>
    </button>
  )
}
