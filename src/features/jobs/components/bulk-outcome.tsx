'use client'
import { useTranslations } from 'use-intl/react'
import type { JobBulkResult } from '#contracts/job.contract.ts'
import { OutcomeDialog } from '#ui/outcome-dialog.tsx'
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
  const { action } = result
  const item = (job_id: string, title: string | undefined) => ({
    id: job_id,
    name: title || job_id,
    href: `/jobs/${job_id}`,
  })
  const skipped = result.skipped.map(({ job_id, title, status }) => ({
    ...item(job_id, title),
    status: (
      <StatusBadge {...STATUS_STYLES[status]}>{t('skippedIn', { state: t(`state.${status}`) })}</StatusBadge>
    ),
  }))
  const changed = result.changed.map(({ job_id, status }) => ({
    ...item(job_id, titles.get(job_id)),
    quiet: true,
    status: <StatusBadge {...STATUS_STYLES[status]}>{t(`bulk.${action}.each`)}</StatusBadge>,
  }))
  return (
    <OutcomeDialog
      title={t(`bulk.${action}.done`, { count: result.done })}
      description={t('bulkSkipped', { count: result.skipped.length })}
      label={t('bulkOutcome')}
      items={[...skipped, ...changed]}
      close={close}
    />
  )
}
