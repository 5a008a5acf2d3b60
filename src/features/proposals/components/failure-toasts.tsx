'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { useLive } from '#lib/live.tsx'
import { useSession } from '#lib/session.tsx'
import { isShown, toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFailureText } from '../hooks/use-failure-text.ts'
import { noteFailure } from '../hooks/use-sitting.ts'

const FAILED = proposalMachine.events.fail.to

/**
 * Tells whoever may do something about it that an approval could not be applied, on every page of the console. Further failures are counted in
 * the same message until it is closed.
 */
export function FailureToasts() {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { role } = useSession()
  const reason = useFailureText()
  const message = useRef<{ toast: number; ids: ReadonlySet<string> }>(null)
  const tell = async (proposal_id: string) => {
    const failed = await queries.fetchQuery({
      ...trpc.proposals.get.queryOptions({ proposal_id }),
      staleTime: 0,
    })
    if (failed.status !== FAILED || failed.commands.length === 0) return
    const shown = message.current && isShown(message.current.toast) ? message.current : null
    const ids = new Set([...(shown?.ids ?? []), proposal_id])
    const one = ids.size === 1
    message.current = {
      ids,
      toast: toast({
        ...(shown ? { replaces: shown.toast } : {}),
        tone: 'failed',
        text: one
          ? t('failedToast', { summary: failed.summary, reason: reason(failed) })
          : t('failedCount', { count: ids.size }),
        link: one
          ? { label: t('open'), href: `/proposals/${proposal_id}` }
          : { label: t('failedAll'), href: '/proposals?tab=failed' },
      }),
    }
  }
  useLive(['proposal.status.changed'], (event) => {
    if (event?.to === FAILED && event.resource) noteFailure(event.resource.id)
    if (event?.to === FAILED && event.resource && may(role, 'proposal.retry'))
      // The list and the count say it, too, should it not be read now.
      tell(event.resource.id).catch(() => undefined)
  })
  return null
}
