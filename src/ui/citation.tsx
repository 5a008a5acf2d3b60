'use client'
import { type ReactNode, useId, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { cx } from './cx.ts'
import { Id } from './id.tsx'

export type Cited = {
  /** The file, or whatever supports the claim. */
  source: string
  lines?: string | null
  /** Verbatim. */
  quote: string
  revision?: string | null
  /** Where the source can be read in the console. */
  href?: string
  /** False when the excerpt was not found in its source. */
  grounded?: boolean
}

/** A quiet superscript that opens the exact lines in place. */
export function Citation({ n, cited }: { n: number; cited: Cited }) {
  const t = useTranslations('ui')
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <>
      <sup>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          aria-label={t('citation', { n, source: cited.source })}
          data-tip={cited.source}
          onClick={() => setOpen((was) => !was)}
          className={cx(
            'mx-0.5 inline-grid h-4 min-w-4 place-items-center rounded-[4px] px-1 text-[11px] font-medium leading-none',
            cited.grounded === false
              ? 'bg-waiting-soft text-waiting'
              : 'bg-accent-soft text-accent hover:bg-selected',
          )}
        >
          {n}
        </button>
      </sup>
      {open ? (
        <span id={id} className="my-2 block">
          <Excerpt cited={cited} />
        </span>
      ) : null}
    </>
  )
}

/** The exact lines of a source, with their location. */
export function Excerpt({ cited, mark }: { cited: Cited; mark?: ReactNode }) {
  const t = useTranslations('ui')
  return (
    <span data-excerpt={cited.source} className="block rounded border-l-2 border-accent bg-sunken px-3 py-2">
      <span className="flex flex-wrap items-baseline gap-x-3 text-sm text-ink-3">
        {cited.href ? (
          <a href={cited.href} className="break-all font-mono text-accent">
            {cited.source}
          </a>
        ) : (
          <span className="break-all font-mono">{cited.source}</span>
        )}
        {cited.lines ? (
          <span className="tabular whitespace-nowrap">
            {/^\d+$/.test(cited.lines)
              ? t('lineAt', { line: cited.lines })
              : t('linesAt', { lines: cited.lines })}
          </span>
        ) : null}
        {cited.revision ? <Id value={cited.revision} /> : null}
        {mark}
      </span>
      <span className="mt-1 block whitespace-pre-wrap text-base leading-relaxed text-ink">{cited.quote}</span>
    </span>
  )
}
