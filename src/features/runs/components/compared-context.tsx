'use client'
import { useTranslations } from 'use-intl/react'
import type { RunComparison } from '#contracts/run-comparison.contract.ts'
import { CompareTable } from '#ui/compare-table.tsx'
import { Section } from '#ui/section.tsx'

type Entry = RunComparison['context'][number]

/** What of the garden each run was given and what did not fit: the differences open, what is alike folded. */
export function ComparedContext({ entries }: { entries: readonly Entry[] }) {
  const t = useTranslations('runs')
  const same = entries.filter((entry) => entry.state === 'same')
  const other = entries.filter((entry) => entry.state !== 'same')
  return (
    <Section title={t('compare.context')}>
      {entries.length === 0 ? <p className="text-ink-3">{t('compare.noContext')}</p> : null}
      {other.length > 0 ? <Entries entries={other} /> : null}
      {same.length > 0 ? (
        <details className="mt-2">
          <summary className="cursor-pointer text-sm text-ink-3">
            {t('compare.unchanged', { n: same.length })}
          </summary>
          <Entries entries={same} />
        </details>
      ) : null}
    </Section>
  )
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  const t = useTranslations('runs')
  const [left, right] = [t('compare.left'), t('compare.right')]
  const cell = (entry: Entry, side: 'a' | 'b') => {
    const missing = side === 'a' ? 'right' : 'left'
    if (entry.state === missing) return t('compare.notSet')
    const tokens = entry.tokens[side]
    return tokens === null ? t('compare.used') : t('compare.tokens', { n: tokens })
  }
  return (
    <CompareTable
      label={t('compare.context')}
      heads={{ row: t('compare.contextName'), left, right, difference: t('compare.difference') }}
      rows={entries.map((entry) => ({
        id: `${entry.part} ${entry.name}`,
        label: (
          <>
            <span className="block text-sm">{t(`compare.part.${entry.part}`)}</span>
            <span className="break-all font-mono text-sm text-ink">{entry.name}</span>
          </>
        ),
        left: cell(entry, 'a'),
        right: cell(entry, 'b'),
        difference: entry.state === 'same' ? null : t(`compare.state.${entry.state}`),
      }))}
    />
  )
}
