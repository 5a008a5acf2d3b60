'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { DryRunResult, RuleView } from '#contracts/approval-rule.contract.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { useRuleMutation } from '../use-rule-mutation.ts'
import { Disagreements } from './disagreements.tsx'

type Props = { of: RuleView; open: boolean; onClose: () => void }

/** What a rule would have done in the past, and where it was opened, the way to turn it on. */
export function DryRunDialog({ of: rule, open, onClose }: Props) {
  const t = useTranslations('approvalRules')
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t('dryRun', { name: rule.name })}
      description={t('dryRunHint')}
      width="lg"
    >
      <DryRun of={rule} done={onClose} />
    </Dialog>
  )
}

function DryRun({ of: rule, done }: { of: RuleView; done: () => void }) {
  const t = useTranslations('approvalRules')
  const no = useRight('rule.manage')
  const dry = useToastMutation(useTRPC().approvalRules.dryRun.mutationOptions())
  const { condition, daily_cap, expires_at } = rule
  const test = () => dry.mutate({ rule: { condition, daily_cap, expires_at } })
  if (dry.data)
    return <Tested key={dry.data.dry_run_token} of={rule} result={dry.data} again={test} done={done} />
  return (
    <div className="flex items-center justify-end gap-3">
      <p role="status" className="flex-1 text-ink-2">
        {dry.isPending ? t('running') : null}
      </p>
      <Button kind="primary" data-autofocus busy={dry.isPending} disabledReason={no} onClick={test}>
        {t('testOnly')}
      </Button>
    </div>
  )
}

type TestedProps = { of: RuleView; result: DryRunResult; again: () => void; done: () => void }

function Tested({ of: rule, result, again, done }: TestedProps) {
  const t = useTranslations('approvalRules')
  const trpc = useTRPC()
  const no = useRight('rule.manage')
  const [opened, setOpened] = useState<readonly string[]>([])
  const [proof, setProof] = useState({ token: result.dry_run_token, left: result.disagreed_total })
  const report = useToastMutation(
    trpc.approvalRules.opened.mutationOptions({
      onSuccess: ({ dry_run_token: token, left }) =>
        setProof((was) => (left < was.left ? { token, left } : was)),
    }),
  )
  const turnOn = useRuleMutation(trpc.approvalRules.turnOn.mutationOptions({ onSuccess: done }), () =>
    t('turned.on'),
  )
  const open = (id: string) => {
    const ids = [...new Set([...opened, id])]
    setOpened(ids)
    report.mutate({ dry_run_token: result.dry_run_token, proposal_ids: ids })
  }
  const reason = no ?? whyNot(t, { rule, result, left: proof.left })
  return (
    <>
      <p role="status" className="text-md">
        {t('would', { matched: result.matched, evaluated: result.evaluated })}{' '}
        {result.matched > 0 ? t('disagreed', { count: result.disagreed_total }) : null}
      </p>
      <Disagreements of={result.disagreed} opened={opened} onOpen={open} />
      <div className="mt-4">
        <FieldList
          rows={[
            { label: t('agreed'), value: result.agreed },
            { label: t('undecided'), value: result.undecided },
            { label: t('keptBack'), value: result.kept_back },
            { label: t('busiest'), value: result.busiest_day },
          ]}
        />
      </div>
      {result.truncated ? (
        <p className="mt-2 text-ink-2">{t('truncated', { count: result.evaluated })}</p>
      ) : null}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={again}>{t('again')}</Button>
        {rule.mode === 'on' ? null : (
          <Button
            kind="primary"
            busy={turnOn.isPending}
            disabledReason={reason}
            onClick={() => turnOn.mutate({ rule_id: rule.rule_id, dry_run_token: proof.token })}
          >
            {t('turnOn')}
          </Button>
        )}
      </div>
    </>
  )
}

type Texts = ReturnType<typeof useTranslations<'approvalRules'>>

/** Why the rule cannot be turned on yet; the server asks the same. */
function whyNot(t: Texts, at: { rule: RuleView; result: DryRunResult; left: number }): string | undefined {
  if (at.rule.broken) return t('mendFirst')
  if (at.result.disagreed_total > at.result.disagreed.length) return t('tooMany')
  return at.left > 0 ? t('openFirst', { count: at.left }) : undefined
}
