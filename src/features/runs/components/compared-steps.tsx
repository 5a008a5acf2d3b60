'use client'
import { useTranslations } from 'use-intl/react'
import type { ComparedStep, RunComparison } from '#contracts/run-comparison.contract.ts'
import { sortedJson } from '#lib/sorted-json.ts'
import { firstDifference } from '#ui/compare-table.tsx'
import { cx } from '#ui/cx.ts'
import { DiffView } from '#ui/lazy.tsx'
import { Section } from '#ui/section.tsx'

/** The outputs of both runs step by step as a diff of their JSON; where they first part is marked and open. */
export function ComparedSteps({ comparison }: { comparison: RunComparison }) {
  const t = useTranslations('runs')
  const { steps, first_difference: first } = comparison
  return (
    <Section title={t('compare.outputs')} hint={t('compare.outputsHint')}>
      <ol className="space-y-3">
        {steps.map((step) => (
          <li key={step.step}>
            <Step step={step} isFirst={first?.part === 'step' && first.step === step.step} />
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Step({ step, isFirst }: { step: ComparedStep; isFirst: boolean }) {
  const t = useTranslations('runs')
  const name = `0${step.step} ${t(`phases.${step.name as 'finalize'}`)}`
  const { first_difference: first, a, b } = step
  if (!first)
    return (
      <p className="flex flex-wrap gap-x-4">
        <span className="text-ink-2">{name}</span>
        <span className="text-ink-3">
          {a.compared === null ? t('compare.noOutput') : t('compare.sameOutput')}
        </span>
      </p>
    )
  return (
    <details
      open={isFirst}
      {...firstDifference(isFirst)}
      className={cx(isFirst && 'shadow-[inset_2px_0_0_var(--color-accent)] pl-3')}
    >
      <summary className="cursor-pointer">
        {name} <span className="text-sm text-waiting">{t('compare.state.changed')}</span>{' '}
        <code className="break-all font-mono text-sm text-ink-3">{first.path}</code>
      </summary>
      <div className="mt-2">
        <DiffView
          path={`${t('compare.first')}: ${first.path}`}
          before={a.compared === null ? null : sortedJson(a.compared)}
          after={b.compared === null ? null : sortedJson(b.compared)}
          keyboard={false}
          startAt={1}
        />
      </div>
    </details>
  )
}
