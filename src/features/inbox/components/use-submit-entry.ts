'use client'
import { useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import { newId } from '#lib/new-id.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useGoOn } from '#lib/use-go-on.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

/**
 * Sends an entry once, however often it is asked to; then the draft is forgotten and the proposal opened for whoever still waits for it. What was
 * refused and corrected is another entry.
 */
export function useSubmitEntry(draft: { clear: () => void }, close: () => void) {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const goOn = useGoOn()
  const sent = useRef({ text: '', id: '' })
  const submit = useToastMutation(
    trpc.inbox.submit.mutationOptions({
      onMutate: goOn.begin,
      onSuccess: ({ resolution }) => {
        draft.clear()
        close()
        goOn.to(resolution?.kind === 'proposal' ? `/proposals/${resolution.id}` : null, t('proposed'))
      },
    }),
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
