'use client'
import { useTranslations } from 'use-intl/react'
import { JsonView } from '#ui/json-view.tsx'
import { Section } from '#ui/section.tsx'
import { StatusBadge, type StatusStyle } from '#ui/status-badge.tsx'

type Severity = 'error' | 'warning' | 'info'
type Preprocessed = {
  original: unknown
  enriched: unknown
  issues: { field: string; severity: Severity; message: string }[]
  entity_matches: { text: string; entity_id: string; confidence: number }[]
}

const STATUS_STYLES: Record<Severity, StatusStyle> = {
  error: { tone: 'failed' },
  warning: { tone: 'waiting' },
  info: { tone: 'held' },
}
const ORDER: readonly Severity[] = ['error', 'warning', 'info']

/** A preprocessed proposal: issues by severity, the original beside the enriched draft, and what was recognised. */
export function PreprocessedView({ content }: { content: Preprocessed }) {
  const t = useTranslations('artifacts')
  const issues = [...content.issues].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))
  return (
    <>
      <Section title={t('issues')}>
        {issues.length === 0 ? <p className="text-ink-3">{t('noIssues')}</p> : null}
        <ul className="space-y-1.5">
          {issues.map((issue) => (
            <li key={`${issue.field}${issue.message}`} className="flex flex-wrap items-baseline gap-x-3">
              <StatusBadge {...STATUS_STYLES[issue.severity]}>{t(`severity.${issue.severity}`)}</StatusBadge>
              <code className="font-mono text-sm">{issue.field}</code>
              <span>{issue.message}</span>
            </li>
          ))}
        </ul>
      </Section>
      <div className="mt-8 grid gap-6 md:grid-cols-2">
        <Section title={t('original')}>
          <JsonView value={content.original} />
        </Section>
        <Section title={t('enriched')}>
          <JsonView value={content.enriched} />
        </Section>
      </div>
      {content.entity_matches.length > 0 ? (
        <Section title={t('matches')}>
          <ul className="space-y-1">
            {content.entity_matches.map((m) => (
              <li key={`${m.entity_id}${m.text}`}>
                {m.text} <code className="font-mono text-sm text-ink-3">{m.entity_id}</code>{' '}
                <span className="tabular text-sm text-ink-3">
                  {t('confidence', { percent: m.confidence })}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
    </>
  )
}
