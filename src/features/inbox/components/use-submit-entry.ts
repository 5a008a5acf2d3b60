'use client'
import { useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import { newId } from '#lib/new-id.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useGo } from '#lib/use-go.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

/**
 * Sends an entry once, however often it is asked to; then the draft is forgotten and the proposal opened. What was refused and
 * corrected is another entry.
 */
export function useSubmitEntry(draft: { clear: () => void }, close: () => void) {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const go = useGo()
  const sent = useRef({ text: '', id: '' })
  const submit = useToastMutation(
    trpc.inbox.submit.mutationOptions({
      onSuccess: (answer) => {
        draft.clear()
        close()
        if (answer.resolution?.kind === 'proposal') go(`/proposals/${answer.resolution.id}`)
      },
    }),
    { done: () => t('proposed') },
  )
  return {
    busy: submit.isPending,
    submit: (intent: SubmitEntryInput['intent']) => {
      if (submit.isPending) return
      const text = JSON.stringify(intent)
      if (sent.current.text !== text) sent.current = { text, id: newId() }
      submit.mutate({ intent, metadata: { correlation_id: sent.current.id } })
    },
  }
}
