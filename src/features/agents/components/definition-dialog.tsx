'use client'
import { useTranslations } from 'use-intl/react'
import type { AgentDetail } from '#contracts/agent.contract.ts'
import { ProposeButton } from '#features/inbox/index.ts'
import { onDemand } from '#lib/on-demand.tsx'

const DefinitionEditor = onDemand(() => import('./definition-editor.tsx').then((m) => m.DefinitionEditor))

export type Edited = Pick<AgentDetail, 'slug' | 'name'> & { source: NonNullable<AgentDetail['source']> }

/** The button that proposes a new agent, or an edit of one: through the Inbox, decided afterwards. */
export function DefineAgent({ agent }: { agent?: Edited }) {
  const t = useTranslations('agents')
  return (
    <ProposeButton
      id="agents.define"
      label={agent ? t('editDefinition') : t('newAgent')}
      keys={agent ? 'e' : 'n'}
      title={agent ? t('editTitle', { name: agent.name }) : t('newAgent')}
      description={t('defineHint')}
      primary={!agent}
    >
      {(close) => <DefinitionEditor {...(agent ? { agent } : {})} close={close} />}
    </ProposeButton>
  )
}
