'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import type { ButtonKind } from '#ui/button-class.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Icon } from '#ui/icon.tsx'
import { canRequestAgain, questionAlone } from '../verdict.ts'

const RequestForm = onDemand(() => import('./request-form.tsx').then((m) => m.RequestForm))

/** The owner's button for a research job, with its form; the job comes through the Inbox. */
export function RequestJob() {
  const t = useTranslations('jobs')
  const no = useRight('job.submit')
  const [open, setOpen] = useState(false)
  useAction({
    id: 'jobs.new',
    label: t('newJob'),
    keys: 'n',
    group: t('title'),
    run: () => setOpen(true),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button
        kind="primary"
        keys="n"
        icon={<Icon name="plus" className="size-4" />}
        disabledReason={no}
        onClick={() => setOpen(true)}
      >
        {t('newJob')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('newJob')} description={t('newJobHint')}>
        <RequestForm close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

/** Asks once more what a refused research job asked, to be changed first. */
export function RequestJobAgain({ job, kind = 'secondary' }: { job: JobDetail; kind?: ButtonKind }) {
  const t = useTranslations('jobs')
  const no = useRight('job.submit')
  const [open, setOpen] = useState(false)
  const query = canRequestAgain(job) ? questionAlone(job.payload) : null
  useAction(
    query === null
      ? null
      : {
          id: 'jobs.again',
          label: t('again'),
          keys: 'n',
          group: t('title'),
          run: () => setOpen(true),
          ...(no ? { disabledReason: no } : {}),
        },
  )
  if (query === null) return null
  return (
    <>
      <Button kind={kind} keys="n" disabledReason={no} onClick={() => setOpen(true)}>
        {t('again')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('again')} description={t('newJobHint')}>
        <RequestForm close={() => setOpen(false)} from={{ query, agent: job.agent_slug }} />
      </Dialog>
    </>
  )
}
