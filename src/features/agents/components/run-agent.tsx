'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentCard } from '#contracts/agent.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useAction } from '#lib/keyboard.tsx'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Icon } from '#ui/icon.tsx'

const RunForm = onDemand(() => import('./run-form.tsx').then((m) => m.RunForm))

export type Runnable = Pick<AgentCard, 'slug' | 'name' | 'status' | 'model' | 'tools' | 'triggers'>

/** Why an agent cannot be run by this reader now; undefined when it can. */
export function useRunRefusal(): (agent: Pick<Runnable, 'status' | 'triggers'>) => string | undefined {
  const t = useTranslations('agents')
  const no = useRight('run.request')
  return (agent) => {
    const fault = faultOf(agent)
    return no ?? (fault ? t(fault) : undefined)
  }
}

/** Asks what an agent that is run needs, and runs it. */
export function RunAgentDialog({
  agent,
  open,
  onClose,
}: {
  agent: Runnable
  open: boolean
  onClose: () => void
}) {
  const t = useTranslations('agents')
  return (
    <Dialog open={open} onClose={onClose} title={t('runTitle', { name: agent.name })}>
      <RunForm agent={agent} close={onClose} />
    </Dialog>
  )
}

type RunProps = { agent: Runnable; keys?: string }

/** The button that runs an agent, with its input form; nothing for those who may never run one. `keys` binds a key to it, on this page. */
export function RunAgent(props: RunProps) {
  return may(useSession().role, 'run.request') ? <Run {...props} /> : null
}

function Run({ agent, keys }: RunProps) {
  const t = useTranslations('agents')
  const [open, setOpen] = useState(false)
  const reason = useRunRefusal()(agent)
  useAction({
    id: `agents.run.${agent.slug}`,
    label: t('runTitle', { name: agent.name }),
    group: t('title'),
    run: () => setOpen(true),
    ...(keys ? { keys } : {}),
    ...(reason ? { disabledReason: reason } : {}),
  })
  return (
    <>
      <Button
        kind="primary"
        icon={<Icon name="play" className="size-4" />}
        aria-label={t('runTitle', { name: agent.name })}
        disabledReason={reason}
        onClick={() => setOpen(true)}
        {...(keys ? { keys } : {})}
      >
        {t('run')}
      </Button>
      <RunAgentDialog agent={agent} open={open} onClose={() => setOpen(false)} />
    </>
  )
}

/** Why a person may not run it now, as the gateway would answer. */
function faultOf({ status, triggers }: Pick<Runnable, 'status' | 'triggers'>) {
  if (status === 'error') return 'failing'
  if (status !== 'active') return 'notActive'
  return triggers.manual ? null : 'manualOff'
}
