'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { useLive } from '#lib/live.tsx'
import { useSession } from '#lib/session.tsx'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFailureText } from '../hooks/use-failure-text.ts'

const FAILED = proposalMachine.events.fail.to

/** Tells whoever may do something about it that an approval could not be applied, on every page of the console. */
export function FailureToasts() {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { role } = useSession()
  const reason = useFailureText()
  const tell = async (proposal_id: string) => {
    const failed = await queries.fetchQuery({
      ...trpc.proposals.get.queryOptions({ proposal_id }),
      staleTime: 0,
    })
    if (failed.status !== FAILED || failed.commands.length === 0) return
    toast({
      tone: 'failed',
      text: t('failedToast', { summary: failed.summary, reason: reason(failed) }),
      link: { label: t('open'), href: `/proposals/${proposal_id}` },
    })
  }
  useLive(['proposal.status.changed'], (event) => {
    if (event?.to === FAILED && event.resource && may(role, 'proposal.retry'))
      // The list and the count say it, too, should it not be read now.
      tell(event.resource.id).catch(() => undefined)
  })
  return null
}
