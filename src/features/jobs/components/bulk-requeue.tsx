'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobBulkPreview, JobFilter, JobRow } from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { can } from '#domain/kernel/machine.ts'
import { useRight } from '#lib/session.tsx'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { TextField } from '#ui/fields.tsx'

type Moved = readonly Pick<JobRow, 'job_id' | 'status'>[]
type Props = {
  ids: ReadonlySet<string>
  rows: readonly JobRow[]
  filter: JobFilter
  /** Selects these and no others. */
  select: (ids: ReadonlySet<string>) => void
  /** Told which jobs were moved, and where to. */
  moved: (jobs: Moved) => void
}

/** Requeues what is selected, or all that the filter matches; the affected jobs are previewed first. */
export function BulkRequeue({ ids, rows, filter, select, moved }: Props) {
  const t = useTranslations('jobs')
  const no = useRight('job.operate')
  const trpc = useTRPC()
  const [shown, setShown] = useState<JobBulkPreview | null>(null)
  const preview = useToastMutation(trpc.jobs.bulkPreview.mutationOptions({ onSuccess: setShown }))
  const requeue = useRequeueEach()
  const [asking, setAsking] = useState(false)
  const chosen = rows.filter((j) => ids.has(j.job_id) && can(jobMachine, j.status, 'requeue'))
  const wholeState = filter.status?.every((s) => can(jobMachine, s, 'requeue')) ?? false
  if (ids.size === 0 && !wholeState) return null
  return (
    <div className="flex flex-wrap items-center gap-2 pb-2">
      {ids.size > 0 ? (
        <Button
          disabledReason={no ?? (chosen.length === 0 ? t('bulkNone') : undefined)}
          onClick={() => setAsking(true)}
        >
          {t('requeueSelected', { count: chosen.length })}
        </Button>
      ) : (
        <Button
          disabledReason={no}
          busy={preview.isPending}
          onClick={() => preview.mutate({ action: 'requeue', filter })}
        >
          {t('requeueAll')}
        </Button>
      )}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('bulkTitle', { count: chosen.length })}
        description={t('requeueHint')}
        confirmLabel={t('requeue')}
        reason={{ min: 3, max: 256 }}
        onConfirm={async (reason) => {
          const done = await requeue(
            chosen.map((j) => j.job_id),
            reason,
          )
          moved(done)
          const left = new Set(chosen.map((j) => j.job_id))
          for (const { job_id } of done) left.delete(job_id)
          select(left)
        }}
      />
      {shown ? <BulkPreview preview={shown} moved={moved} close={() => setShown(null)} /> : null}
    </div>
  )
}

/** Requeues one by one; what is refused stays as it is. One message says how many of each, and nothing done is an error. */
function useRequeueEach() {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const one = useToastMutation(trpc.jobs.requeue.mutationOptions(), { onFault: () => true })
  return async (ids: readonly string[], reason: string): Promise<Moved> => {
    const answers = await Promise.allSettled(ids.map((job_id) => one.mutateAsync({ job_id, reason })))
    const done = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    const refused = answers.find((answer) => answer.status === 'rejected')
    if (done.length === 0 && refused) throw refused.reason
    const skipped = ids.length - done.length
    toast({ tone: skipped > 0 ? 'waiting' : 'done', text: t('bulkDone', { done: done.length, skipped }) })
    return done
  }
}

type PreviewProps = { preview: JobBulkPreview; moved: (jobs: Moved) => void; close: () => void }

function BulkPreview({ preview, moved, close }: PreviewProps) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const [typed, setTyped] = useState('')
  const execute = useToastMutation(
    trpc.jobs.bulkExecute.mutationOptions({ onSuccess: ({ changed }) => moved(changed) }),
    {
      done: (r) => t('bulkDone', { done: r.done, skipped: r.skipped.length }),
    },
  )
  const ready = preview.count > 0 && (!preview.needs_typed_count || Number(typed) === preview.count)
  return (
    <Confirm
      open
      onClose={close}
      title={t('bulkTitle', { count: preview.count })}
      description={t('bulkHint')}
      confirmLabel={t('requeue')}
      reason={{ min: 3, max: 256 }}
      {...(ready
        ? {}
        : { disabledReason: preview.count === 0 ? t('bulkNone') : t('bulkTyped', { count: preview.count }) })}
      onConfirm={async (reason) => {
        await execute.mutateAsync({
          token: preview.token,
          reason: reason as string,
          ...(preview.needs_typed_count ? { typed_count: Number(typed) } : {}),
        })
        close()
      }}
    >
      <ul className="max-h-48 space-y-1 overflow-y-auto text-sm text-ink-2">
        {preview.sample.map((j) => (
          <li key={j.job_id} className="truncate">
            {j.title || j.job_id}
          </li>
        ))}
      </ul>
      {preview.excluded > 0 ? (
        <p className="mt-2 text-sm text-ink-3">{t('bulkExcluded', { count: preview.excluded })}</p>
      ) : null}
      {preview.truncated ? <p className="mt-2 text-sm text-waiting">{t('bulkTruncated')}</p> : null}
      {preview.needs_typed_count ? (
        <TextField
          label={t('bulkTyped', { count: preview.count })}
          value={typed}
          onChange={setTyped}
          type="number"
          required
        />
      ) : null}
    </Confirm>
  )
}
