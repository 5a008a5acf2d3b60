'use client'
import { useTranslations } from 'use-intl/react'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'
import { isGone } from '../status.ts'
import { type NumberedSource, useSources } from './source-context.tsx'
import { useSourceName, useSourceState } from './source-state.tsx'

/** The marks behind a sentence, from the value that the server puts into the tree: places among the sources, `-` for none. */
export function SourceMarks({ value }: { value: string }) {
  const t = useTranslations('artifacts')
  const { all } = useSources()
  return (
    <sup className="whitespace-nowrap leading-none">
      {value.split(',').map((place) => {
        const source = place === '-' ? undefined : all[Number(place)]
        if (source) return <SourceMark key={place} source={source} />
        return (
          <span
            key={place}
            role="img"
            aria-label={t('ungrounded')}
            data-tip={t('ungroundedHint')}
            className="mx-0.5 inline-grid h-4 place-items-center rounded-[4px] bg-waiting-soft px-0.5 align-middle text-waiting"
          >
            <Icon name="unlink" className="size-3" />
          </span>
        )
      })}
    </sup>
  )
}

function SourceMark({ source }: { source: NumberedSource }) {
  const { open, toggle } = useSources()
  const state = useSourceState(source.now)
  const gone = isGone(source.now)
  const name = useSourceName()(source)
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={source.n === open}
      aria-label={gone ? `${name}. ${state}` : name}
      data-tip={gone ? state : source.ref}
      onClick={(event) => toggle(source.n, event.currentTarget)}
      className={cx(
        'tabular mx-0.5 inline-grid h-4 min-w-4 place-items-center rounded-[4px] px-1 align-middle text-[11px] font-medium leading-none pointer-coarse:h-6 pointer-coarse:min-w-6',
        gone
          ? 'bg-waiting-soft text-waiting line-through'
          : 'bg-accent-soft text-accent hover:bg-selected aria-expanded:bg-selected',
      )}
    >
      {source.n}
    </button>
  )
}
