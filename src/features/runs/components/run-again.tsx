'use client'
import { useTranslations } from 'use-intl/react'
import type { RunDetail } from '#contracts/run.contract.ts'
import type { RunParams } from '#contracts/run-commands.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useGoOn } from '#lib/use-go-on.ts'
import { useRequestId } from '#lib/use-request-id.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'

/** Requests another run with the parameters of one that has ended, and opens it. */
export function RunAgain({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const goOn = useGoOn()
  const no = useRight('run.request')
  // Asked twice before the page is left, it is one run.
  const token = useRequestId()
  const request = useToastMutation(
    trpc.runs.request.mutationOptions({
      onMutate: goOn.begin,
      onSuccess: ({ run_id }) => goOn.to(`/runs/${run_id}`, t('startedAgain')),
      onError: token.refused,
    }),
  )
  const offered = run.finished_at !== null
  const start = () => {
    if (request.isPending) return
    request.mutate({
      slug: run.agent_slug,
      // What was accepted once is of the form that is accepted.
      params: run.params as RunParams,
      priority: run.priority,
      correlation_id: token.id,
    })
  }
  useAction(
    offered
      ? {
          id: 'runs.again',
          label: t('again'),
          keys: 'r',
          group: t('title'),
          run: start,
          ...(no ? { disabledReason: no } : {}),
        }
      : null,
  )
  if (!offered) return null
  return (
    <Button
      keys="r"
      icon={<Icon name="rotate-ccw" className="size-4" />}
      busy={request.isPending}
      disabledReason={no}
      onClick={start}
    >
      {t('again')}
    </Button>
  )
}
