'use client'
import { useLocale, useTranslations } from 'use-intl/react'
import { formatDuration } from '#lib/duration.ts'
import { Link } from '#ui/link.tsx'
import { useSitting } from '../hooks/use-sitting.ts'
import { OUTCOMES } from '../sitting.ts'

/** What was decided in this sitting, how long it took where that says something, and a link to each approval that failed. */
export function SittingLine() {
  const t = useTranslations('proposals')
  const locale = useLocale()
  const tally = useSitting()
  if (!tally) return null
  const { failures, ms, done } = tally
  const made = OUTCOMES.filter((outcome) => tally[outcome] > 0)
  const parts = made.map((outcome) => t(`sittingParts.${outcome}`, { count: tally[outcome] })).join(', ')
  return (
    <div className="mb-3 text-ink-2">
      <p className="tabular" data-sitting>
        {ms === null
          ? t('sittingBrief', { parts })
          : t('sitting', { done, time: formatDuration(ms, locale), parts })}
      </p>
      {failures.length > 0 ? (
        <ul className="mt-1 flex flex-wrap gap-x-3">
          {failures.map((id, n) => (
            <li key={id}>
              <Link href={`/proposals/${id}?tab=failed`}>{t('sittingFailure', { n: n + 1 })}</Link>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
