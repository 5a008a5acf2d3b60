'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { canReplay } from '../verdict.ts'

const ReplayForm = onDemand(() => import('./replay-form.tsx').then((m) => m.ReplayForm))

/** Has the work of an ended job done once more, by a new job. */
export function ReplayJob({ job }: { job: JobDetail }) {
  const t = useTranslations('jobs')
  const no = useRight('job.operate')
  const [open, setOpen] = useState(false)
  const offered = canReplay(job)
  useAction(
    offered
      ? {
          id: 'jobs.replay',
          label: t('replay.act'),
          keys: 'p',
          group: t('title'),
          run: () => setOpen(true),
          ...(no ? { disabledReason: no } : {}),
        }
      : null,
  )
  // What is being written stays, though the job may be taken up again meanwhile; the answer then says so.
  if (!offered && !open) return null
  return (
    <>
      <Button keys="p" disabledReason={no} onClick={() => setOpen(true)}>
        {t('replay.act')}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('replay.title')}
        description={t('replay.hint')}
      >
        <ReplayForm job={job} close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
