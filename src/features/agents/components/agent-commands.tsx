'use client'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentCommand, AgentDetail } from '#contracts/agent.contract.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useAct } from '#lib/use-act.ts'
import { buttonClass } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Menu } from '#ui/menu.tsx'

/** What the owner may tell an agent to be; each is written into its definition as one commit. */
export function AgentCommands({ agent }: { agent: AgentDetail }) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const no = useRight('agent.change')
  const [asked, setAsked] = useState<AgentCommand | null>(null)
  const change = useAct(trpc.agents.command.mutationOptions(), { done: () => t('commanded') })
  if (agent.allowed.length === 0) return null
  const word = t(asked ?? 'pause')
  return (
    <>
      <Menu
        label={t('agent')}
        className={buttonClass('secondary')}
        items={agent.allowed.map((command) => ({
          id: command,
          label: t(command),
          run: () => setAsked(command),
          ...(no ? { disabledReason: no } : {}),
        }))}
      >
        <Ellipsis className="size-4" aria-hidden />
      </Menu>
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={t('commandTitle', { command: word, name: agent.name })}
        description={t('commandHint')}
        confirmLabel={word}
        onConfirm={() => change.mutateAsync({ slug: agent.slug, command: asked as AgentCommand })}
      />
    </>
  )
}
