'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentCard } from '#contracts/agent.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Icon } from '#ui/icon.tsx'

type Failing = Pick<AgentCard, 'slug' | 'name' | 'status' | 'allowed' | 'error'>

/** The way out of a failure, beside Run; nothing for those who may not take it. `keys` binds a key where the page has one agent. */
export function RecoverAgent({ agent, keys }: { agent: Failing; keys?: string }) {
  const changes = may(useSession().role, 'agent.change')
  return agent.status === 'error' && changes ? <Recover agent={agent} {...(keys ? { keys } : {})} /> : null
}

function Recover({ agent, keys }: { agent: Failing; keys?: string }) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const right = useRight('agent.change')
  const no = right ?? (agent.allowed.includes('recover') ? undefined : t('fixDefinition'))
  const [open, setOpen] = useState(false)
  const queries = useQueryClient()
  const onSuccess = () => queries.invalidateQueries(trpc.agents.pathFilter())
  const change = useToastMutation(trpc.agents.command.mutationOptions({ onSuccess }), {
    done: () => t('commanded', { command: 'recover' }),
  })
  useAction({
    id: `agents.recover.${agent.slug}`,
    label: t('recoverTitle', { name: agent.name }),
    group: t('title'),
    run: () => setOpen(true),
    ...(keys ? { keys } : {}),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button
        icon={<Icon name="rotate-ccw" className="size-4" />}
        aria-label={t('recoverTitle', { name: agent.name })}
        disabledReason={no}
        onClick={() => setOpen(true)}
        {...(keys ? { keys } : {})}
      >
        {t('recoverShort')}
      </Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title={t('commandTitle', { command: 'recover', name: agent.name })}
        description={agent.error?.message ?? t('commandHint')}
        confirmLabel={t('recoverShort')}
        onConfirm={() => change.mutateAsync({ slug: agent.slug, command: 'recover' })}
      />
    </>
  )
}
