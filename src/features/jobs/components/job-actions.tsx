'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobAction, JobDetail } from '#contracts/job.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import type { ButtonKind } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'

type Commands = {
  /** The button of an action with its key; nothing where the machine doesn't allow it. */
  button: (action: JobAction, kind?: ButtonKind) => ReactNode
  dialog: ReactNode
}

const KEYS: Partial<Record<JobAction, string>> = { requeue: 'r', cancel: 'c' }

/** Requeue, cancel, mark as failed: what the machine allows now, each with its reason. */
export function useJobActions(job: JobDetail): Commands {
  const t = useTranslations('jobs')
  const no = useRight('job.operate')
  const [asking, setAsking] = useState<JobAction | null>(null)
  const has = (action: JobAction) => job.actions.includes(action)
  const keysOf = (action: JobAction) => (KEYS[action] ? { keys: KEYS[action] } : {})
  const bind = (action: JobAction) =>
    has(action)
      ? {
          id: `jobs.${action}`,
          label: t(action),
          ...keysOf(action),
          group: t('title'),
          run: () => setAsking(action),
          ...(no ? { disabledReason: no } : {}),
        }
      : null
  useAction(bind('requeue'))
  useAction(bind('cancel'))
  useAction(bind('fail'))
  return {
    button: (action, kind = 'secondary') =>
      has(action) ? (
        <Button kind={kind} {...keysOf(action)} disabledReason={no} onClick={() => setAsking(action)}>
          {t(action)}
        </Button>
      ) : null,
    dialog: <ReasonDialog job={job} action={asking} close={() => setAsking(null)} />,
  }
}

function ReasonDialog({
  job,
  action,
  close,
}: {
  job: JobDetail
  action: JobAction | null
  close: () => void
}) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const mutations = {
    requeue: useToastMutation(trpc.jobs.requeue.mutationOptions(), { done: () => t('requeued') }),
    cancel: useToastMutation(trpc.jobs.cancel.mutationOptions(), { done: () => t('cancelled') }),
    fail: useToastMutation(trpc.jobs.fail.mutationOptions(), { done: () => t('failed') }),
  }
  const which = action ?? 'requeue'
  return (
    <Confirm
      open={action !== null}
      onClose={close}
      title={t(`${which}Title`)}
      description={t(`${which}Hint`)}
      confirmLabel={t(which)}
      {...(which === 'cancel' ? { dismissLabel: t('keep') } : {})}
      {...(which === 'requeue' ? {} : { tone: 'danger' as const })}
      reason={{ min: 3, max: 256 }}
      onConfirm={async (reason) => {
        await mutations[which].mutateAsync({ job_id: job.job_id, reason: reason as string })
        close()
      }}
    />
  )
}
