'use client'
import { useTranslations } from 'use-intl/react'
import { Id } from '#ui/id.tsx'
import { Section } from '#ui/section.tsx'
import { useSources } from './source-context.tsx'
import { SourceStateBadge, useLinesAt } from './source-state.tsx'

/** Every cited place in the order of its number, with what became of it. */
export function SourceList() {
  const t = useTranslations('artifacts')
  const { all, toggle } = useSources()
  const linesAt = useLinesAt()
  if (all.length === 0) return null
  return (
    <Section title={t('sources')}>
      <ol className="max-w-[46rem] space-y-3 print:max-w-none">
        {all.map((source) => (
          <li key={source.n} className="flex gap-3 break-inside-avoid">
            <span className="tabular w-6 shrink-0 text-right text-sm text-ink-3">{source.n}</span>
            <div className="min-w-0 flex-1">
              <div className="flex flex-wrap items-center gap-x-3 text-sm">
                <button
                  type="button"
                  aria-haspopup="dialog"
                  onClick={(event) => toggle(source.n, event.currentTarget)}
                  className="break-all text-left text-accent underline-offset-3 hover:underline"
                >
                  {source.ref}
                </button>
                <span className="tabular whitespace-nowrap text-ink-3">{linesAt(source.lines)}</span>
                <span className="print:hidden">
                  <Id value={source.revision} />
                </span>
                <code className="hidden break-all text-ink-3 print:inline">{source.revision}</code>
                <SourceStateBadge now={source.now} />
              </div>
              <p className="mt-0.5 line-clamp-2 whitespace-pre-line text-sm text-ink-2 print:line-clamp-none">
                {source.excerpt}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  )
}
