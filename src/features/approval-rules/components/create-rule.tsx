'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { useFilters } from '#lib/url-state.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { RuleForm } from './rule-form.tsx'

/** What a link to a prefilled form carries: `/settings?rule=new&agent=…`. */
const PREFILLED = ['rule', 'agent', 'action', 'path'] as const

/** Creates a rule that is off; also opened by a link with what the rule is to be about. */
export function CreateRule() {
  const t = useTranslations('approvalRules')
  const no = useRight('rule.manage')
  const manages = may(useSession().role, 'rule.manage')
  const link = useFilters(PREFILLED)
  const [pressed, setPressed] = useState(false)
  const { rule, agent, action, path } = link.values
  const open = pressed || (rule === 'new' && manages)
  const close = () => {
    setPressed(false)
    link.clear()
  }
  return (
    <>
      {manages ? (
        <PaletteAction
          id="rules.create"
          label={t('create')}
          group={t('title')}
          run={() => setPressed(true)}
          disabledReason={no}
        />
      ) : null}
      <Button disabledReason={no} onClick={() => setPressed(true)}>
        {t('create')}
      </Button>
      <Dialog open={open} onClose={close} title={t('create')}>
        <RuleForm
          of={null}
          given={{
            agent: agent ?? '',
            action: action ?? '',
            path: path ?? '',
            name: path ? `${agent}: ${path}` : '',
          }}
          done={close}
        />
      </Dialog>
    </>
  )
}
