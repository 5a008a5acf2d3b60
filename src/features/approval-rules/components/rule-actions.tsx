'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RuleView } from '#contracts/approval-rule.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu, type MenuItem } from '#ui/menu.tsx'
import { useRuleIds } from '../use-rule-ids.ts'
import { useRuleMutation } from '../use-rule-mutation.ts'
import { DryRunDialog } from './dry-run-dialog.tsx'
import { RuleForm } from './rule-form.tsx'

type Asked = 'edit' | 'test' | 'remove'

/** Test, turn, edit, move and remove a rule; nothing for who may not. */
export function RuleActions({ of: rule }: { of: RuleView }) {
  const t = useTranslations('approvalRules')
  const { role } = useSession()
  const [asked, setAsked] = useState<Asked | null>(null)
  const commands = useRuleCommands(rule, setAsked)
  const remove = useRuleMutation(useTRPC().approvalRules.remove.mutationOptions(), () => t('removed'))
  const close = () => setAsked(null)
  const { rule_id, name } = rule
  if (!may(role, 'rule.manage')) return null
  return (
    <>
      {commands.map(({ id, label, run, disabledReason }) => (
        <PaletteAction
          key={id}
          id={`rules.${id}.${rule_id}`}
          label={`${label}: ${name}`}
          group={t('title')}
          run={run}
          {...(disabledReason ? { disabledReason } : {})}
        />
      ))}
      <Menu label={t('actionsOf', { name })} className={buttonClass('quiet', 'sm')} items={commands}>
        <Icon name="ellipsis" className="size-4" />
      </Menu>
      <Dialog open={asked === 'edit'} onClose={close} title={t('edit')} description={t('editHint')}>
        <RuleForm of={rule} done={close} />
      </Dialog>
      <DryRunDialog of={rule} open={asked === 'test'} onClose={close} />
      <Confirm
        open={asked === 'remove'}
        onClose={close}
        title={t('removeTitle', { name })}
        description={t('removeHint')}
        confirmLabel={t('remove')}
        tone="danger"
        onConfirm={() => remove.mutateAsync({ rule_id })}
      />
    </>
  )
}

type Command = Extract<MenuItem, { run: () => void }> & { label: string }

/** What can be done now, in the order of the menu. */
function useRuleCommands(rule: RuleView, show: (what: Asked) => void): Command[] {
  const t = useTranslations('approvalRules')
  const trpc = useTRPC()
  const no = useRight('rule.manage')
  const mode = useRuleMutation(trpc.approvalRules.setMode.mutationOptions(), ({ mode }) =>
    t(`turned.${mode}`),
  )
  const order = useRuleMutation(trpc.approvalRules.order.mutationOptions(), () => t('moved'))
  const ids = useRuleIds()
  const at = ids.indexOf(rule.rule_id)
  const move = (by: 1 | -1) => () => {
    const next = ids.filter((id) => id !== rule.rule_id)
    next.splice(at + by, 0, rule.rule_id)
    order.mutate({ rule_ids: next })
  }
  const turn = (to: 'off' | 'shadow') => () => mode.mutate({ rule_id: rule.rule_id, mode: to })
  const command = (id: string, label: string, run: () => void, more: Partial<Command> = {}): Command => ({
    id,
    label,
    run,
    ...(no ? { disabledReason: no } : {}),
    ...more,
  })
  return [
    command('test', t(rule.mode === 'on' ? 'testOnly' : 'test'), () => show('test')),
    ...(rule.mode === 'shadow' ? [] : [command('shadow', t('toShadow'), turn('shadow'))]),
    ...(rule.mode === 'off' ? [] : [command('off', t('toOff'), turn('off'))]),
    command('edit', t('edit'), () => show('edit')),
    ...(at > 0 ? [command('up', t('up'), move(-1))] : []),
    ...(at >= 0 && at < ids.length - 1 ? [command('down', t('down'), move(1))] : []),
    command('remove', t('remove'), () => show('remove'), { tone: 'danger' }),
  ]
}
