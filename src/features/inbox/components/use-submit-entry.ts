'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import { newId } from '#lib/new-id.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

/** Sends an entry once, however often it is asked to; then the draft is forgotten and the proposal opened. */
export function useSubmitEntry(draft: { clear: () => void }, close: () => void) {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const router = useRouter()
  const [token] = useState(newId)
  const submit = useToastMutation(
    trpc.inbox.submit.mutationOptions({
      onSuccess: (answer) => {
        draft.clear()
        close()
        if (answer.resolution?.kind === 'proposal') router.push(`/proposals/${answer.resolution.id}`)
      },
    }),
    { done: () => t('proposed') },
  )
  return {
    busy: submit.isPending,
    submit: (intent: SubmitEntryInput['intent']) => {
      if (!submit.isPending) submit.mutate({ intent, metadata: { correlation_id: token } })
    },
  }
}
