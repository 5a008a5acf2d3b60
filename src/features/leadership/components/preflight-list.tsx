'use client'
import { useLocale, useTranslations } from 'use-intl/react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { lossOf, type Preflight } from '#domain/membridge/promotion.rules.ts'
import { useNow } from '#lib/clock.tsx'
import { formatDuration } from '#lib/duration.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { type Finding, findingsOf } from '../findings.ts'
import { leaseEnd } from './lease-status.tsx'

/** What a promotion would cost, in records, and what else to know of it. */
export function PreflightList({ project, preflight }: { project: ProjectLeadership; preflight: Preflight }) {
  const t = useTranslations('leadership')
  return (
    <section aria-label={t('preflight')} className="mt-4">
      <Loss preflight={preflight} />
      <ul className="mt-2 space-y-2">
        {findingsOf(project, preflight).map((finding) => (
          <Line key={finding.id} project={project} finding={finding} />
        ))}
      </ul>
      {preflight.needsStepUp ? <p className="mt-2 text-sm text-ink-3">{t('stepUp')}</p> : null}
    </section>
  )
}

/** The one number that counts; nothing where nothing is lost. */
function Loss({ preflight }: { preflight: Preflight }) {
  const t = useTranslations('leadership')
  const loss = lossOf(preflight)
  if (loss === 0) return null
  return (
    <p role="status" className="rounded bg-failed-soft px-3 py-2 font-medium text-failed">
      {loss === null ? t('lossUnknown') : t('lossLine', { count: loss })}
    </p>
  )
}

function Line({ project, finding }: { project: ProjectLeadership; finding: Finding }) {
  const t = useTranslations('leadership')
  const locale = useLocale() as 'en' | 'uk'
  const now = useNow(1_000)
  const { tone, text, more, values } = finding
  const ms = values.leaseEnds ? leaseEnd(project) - now : (values.ageSeconds ?? 0) * 1_000
  const given = {
    node: values.node ?? t('found.someone'),
    count: values.count ?? 0,
    time: formatDuration(ms, locale),
  }
  return (
    <li>
      <StatusBadge tone={tone} busy={false}>
        <span className="text-base text-ink [overflow-wrap:anywhere]">{t(`found.${text}`, given)}</span>
      </StatusBadge>
      {more ? <p className="pl-5 text-sm text-ink-3">{t(`found.${more}`, given)}</p> : null}
    </li>
  )
}
