'use client'
import { useTranslations } from 'use-intl/react'
import type { JobBulkResult } from '#contracts/job.contract.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Link } from '#ui/link.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { STATUS_STYLES } from '../status.ts'

type Props = {
  result: JobBulkResult
  /** The titles known of the jobs; another is shown by its id. */
  titles: ReadonlyMap<string, string>
  close: () => void
}

/** What became of each job of a bulk command: the skipped ones first, each with the state that it is in now. */
export function BulkOutcome({ result, titles, close }: Props) {
  const t = useTranslations('jobs')
  const ui = useTranslations('ui')
  return (
    <Dialog
      open
      onClose={close}
      title={t(`bulk.${result.action}.done`, { count: result.done })}
      description={t('bulkSkipped', { count: result.skipped.length })}
    >
      <ul aria-label={t('bulkOutcome')} className="relative max-h-72 space-y-1 overflow-y-auto text-sm">
        {result.skipped.map(({ job_id, title, status }) => (
          <li key={job_id} className="flex items-baseline gap-3">
            <Link href={`/jobs/${job_id}`} className="min-w-0 flex-1 truncate">
              {title || job_id}
            </Link>
            <StatusBadge {...STATUS_STYLES[status]}>
              {t('skippedIn', { state: t(`state.${status}`) })}
            </StatusBadge>
          </li>
        ))}
        {result.changed.map(({ job_id, status }) => (
          <li key={job_id} className="flex items-baseline gap-3 text-ink-2">
            <Link quiet href={`/jobs/${job_id}`} className="min-w-0 flex-1 truncate">
              {titles.get(job_id) || job_id}
            </Link>
            <StatusBadge {...STATUS_STYLES[status]}>{t(`bulk.${result.action}.each`)}</StatusBadge>
          </li>
        ))}
      </ul>
      <div className="mt-5 flex justify-end">
        <Button onClick={close}>{ui('close')}</Button>
      </div>
    </Dialog>
  )
}
