'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentDetail } from '#contracts/agent.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useGoOn } from '#lib/use-go-on.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Confirm } from '#ui/confirm.tsx'
import { TextField } from '#ui/fields.tsx'

type Props = { agent: Pick<AgentDetail, 'slug' | 'name'>; open: boolean; onClose: () => void }

/** Asks for the slug, then proposes the deletion and opens the proposal. */
export function DeleteAgent({ agent, open, onClose }: Props) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const goOn = useGoOn()
  const [typed, setTyped] = useState('')
  const remove = useToastMutation(
    trpc.agents.delete.mutationOptions({
      onMutate: goOn.begin,
      onSuccess: ({ proposal_id }) => goOn.to(`/proposals/${proposal_id}`, t('proposed')),
    }),
  )
  return (
    <Confirm
      open={open}
      onClose={() => {
        setTyped('')
        onClose()
      }}
      title={t('deleteTitle', { name: agent.name })}
      description={t('deleteHint')}
      confirmLabel={t('proposeDeletion')}
      tone="danger"
      disabledReason={typed === agent.slug ? undefined : t('typeSlug', { slug: agent.slug })}
      onConfirm={() => remove.mutateAsync({ slug: agent.slug, confirm: typed })}
    >
      <TextField
        label={t('typeSlug', { slug: agent.slug })}
        value={typed}
        onChange={setTyped}
        mono
        autoFocus
      />
    </Confirm>
  )
}
