'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { Citation } from '#contracts/proposal-body.contract.ts'
import { Excerpt } from '#ui/citation.tsx'
import { cx } from '#ui/cx.ts'

/** The sources of a proposal as numbered chips; each opens its exact lines in place. */
export function Citations({ citations }: { citations: readonly Citation[] }) {
  const t = useTranslations('proposals')
  const [open, setOpen] = useState<number | null>(null)
  const cited = open === null ? null : citations[open]
  return (
    <>
      <ul className="flex flex-wrap gap-1.5">
        {citations.map((c, i) => (
          <li key={`${c.source}${c.lines.from}`}>
            <button
              type="button"
              aria-expanded={open === i}
              onClick={() => setOpen(open === i ? null : i)}
              className={cx(
                'inline-flex h-6 max-w-72 items-center gap-1.5 rounded-full px-2 text-sm',
                open === i ? 'bg-selected text-ink' : 'bg-accent-soft text-accent hover:bg-selected',
              )}
            >
              <span className="sr-only">{t('cite', { n: i + 1, path: c.source, lines: linesOf(c) })}</span>
              <b className="tabular">{i + 1}</b>
              <span className="truncate">{c.source.split('/').at(-1)}</span>
              <span className="tabular whitespace-nowrap">{linesOf(c)}</span>
            </button>
          </li>
        ))}
      </ul>
      {cited ? (
        <div className="mt-2">
          <Excerpt
            cited={{
              source: cited.source,
              lines: linesOf(cited),
              quote: cited.quote,
              revision: cited.source_revision,
              href: hrefOf(cited),
            }}
          />
        </div>
      ) : null}
    </>
  )
}

const linesOf = (c: Citation) =>
  c.lines.from === c.lines.to ? `${c.lines.from}` : `${c.lines.from}–${c.lines.to}`
const hrefOf = (c: Citation) =>
  `/notes/${c.source.split('/').map(encodeURIComponent).join('/')}?from=${c.lines.from}&to=${c.lines.to}&revision=${c.source_revision}`
