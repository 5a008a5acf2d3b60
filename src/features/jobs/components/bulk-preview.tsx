'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobBulkExecuteInput, JobBulkPreview } from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { TextField } from '#ui/fields.tsx'
import { AffectedSet } from '#ui/outcome-dialog.tsx'

type Props = {
  preview: JobBulkPreview
  execute: (input: JobBulkExecuteInput) => Promise<unknown>
  close: () => void
}

/** The set that was frozen: how many, the first of them, what is left out; above 100 its number is typed. */
export function BulkPreview({ preview, execute, close }: Props) {
  const t = useTranslations('jobs')
  const [typed, setTyped] = useState('')
  const { action, count } = preview
  const ready = !preview.needs_typed_count || Number(typed) === count
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t(`bulk.${action}.title`, { count })}
      description={t(`bulk.${action}.hint`)}
      confirmLabel={t(action)}
      {...(action === 'requeue' ? {} : { tone: 'danger' as const })}
      {...(action === 'cancel' ? { dismissLabel: t('keep') } : {})}
      reason={{ min: 3, max: 256 }}
      {...(ready ? {} : { disabledReason: t('bulkTyped', { count }) })}
      onConfirm={(reason) =>
        execute({
          token: preview.token,
          reason,
          ...(preview.needs_typed_count ? { typed_count: Number(typed) } : {}),
        })
      }
    >
      <AffectedSet
        names={preview.sample.map(({ job_id, title }) => ({ id: job_id, name: title || job_id }))}
      />
      {count > preview.sample.length ? (
        <p className="mt-1 text-sm text-ink-3">{t('bulkMore', { count: count - preview.sample.length })}</p>
      ) : null}
      <Excluded preview={preview} />
      {preview.truncated ? <p className="mt-2 text-sm text-waiting">{t('bulkTruncated')}</p> : null}
      {preview.needs_typed_count ? (
        <TextField
          label={t('bulkTyped', { count })}
          value={typed}
          onChange={setTyped}
          type="number"
          required
        />
      ) : null}
    </ConfirmDialog>
  )
}

/** What matched, but is in a state in which the action may not happen. */
function Excluded({ preview }: Pick<Props, 'preview'>) {
  const t = useTranslations('jobs')
  if (preview.excluded === 0) return null
  const states = jobMachine.states.flatMap((state) => {
    const count = preview.excluded_by_status[state]
    return count ? [`${t(`state.${state}`)}: ${count}`] : []
  })
  return (
    <p className="mt-2 text-sm text-ink-3">
      {t('bulkExcluded', { count: preview.excluded })} {states.join(' · ')}
    </p>
  )
}
