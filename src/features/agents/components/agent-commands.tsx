'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentCommand, AgentDetail } from '#contracts/agent.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { buttonClass } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'
import { DeleteAgent } from './delete-agent.tsx'

type Command = { id: string; label: string; run: () => void; tone?: 'danger' }

/** The commands on an agent, for those who may change it; each changes the status in its definition with one commit. */
export function AgentCommands({ agent }: { agent: AgentDetail }) {
  const changes = may(useSession().role, 'agent.change')
  return changes && agent.allowed.length > 0 ? <Commands agent={agent} /> : null
}

function Commands({ agent }: { agent: AgentDetail }) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const no = useRight('agent.change')
  const [asked, setAsked] = useState<AgentCommand | null>(null)
  const queries = useQueryClient()
  const onSuccess = () => queries.invalidateQueries(trpc.agents.pathFilter())
  const change = useToastMutation(trpc.agents.command.mutationOptions({ onSuccess }), {
    done: (_, { command }) => t('commanded', { command }),
  })
  const [deleting, setDeleting] = useState(false)
  const off = no ? { disabledReason: no } : {}
  const word = t(asked ?? 'pause')
  const actions: Command[] = agent.allowed.map((command) => ({
    id: command,
    label: t(command),
    run: () => setAsked(command),
  }))
  if (agent.status === 'archived')
    actions.push({ id: 'delete', label: t('delete'), tone: 'danger', run: () => setDeleting(true) })
  return (
    <>
      {actions.map(({ id, label, run }) => (
        <PaletteAction key={id} id={`agents.${id}`} label={label} group={t('title')} run={run} {...off} />
      ))}
      <Menu
        label={t('actions')}
        className={buttonClass('secondary')}
        items={actions.map((action) => ({ ...action, ...off }))}
      >
        <Icon name="ellipsis" className="size-4" />
      </Menu>
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={t('commandTitle', { command: asked ?? 'pause', name: agent.name })}
        description={t('commandHint')}
        confirmLabel={word}
        onConfirm={() => change.mutateAsync({ slug: agent.slug, command: asked as AgentCommand })}
      />
      <DeleteAgent agent={agent} open={deleting} onClose={() => setDeleting(false)} />
    </>
  )
}
