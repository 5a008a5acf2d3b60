'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RunComparison, RunSide } from '#contracts/run-comparison.contract.ts'
import { STEPS } from '#domain/run/step.machine.ts'
import { type CompareRow, CompareTable } from '#ui/compare-table.tsx'
import { Digest } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'
import { Duration, ExactTime, Milliseconds } from '#ui/time.tsx'
import { RunStatus } from './run-status.tsx'

type T = ReturnType<typeof useTranslations<'runs'>>

/** What the two runs were given, what they are, and what they took. */
export function ComparedOverview({ comparison }: { comparison: RunComparison }) {
  const t = useTranslations('runs')
  const { params, first_difference: first } = comparison
  const given = params.map(
    ({ name, state, a: left, b: right }): CompareRow => ({
      id: `param ${name}`,
      label: <code className="font-mono text-sm">{name}</code>,
      left: <Given value={left} />,
      right: <Given value={right} />,
      difference: state === 'same' ? null : t(`compare.state.${state}`),
      isFirst: first?.part === 'params' && name === /^[^.[]+/.exec(first.path)?.[0],
    }),
  )
  const heads = {
    row: t('compare.property'),
    left: t('compare.left'),
    right: t('compare.right'),
    difference: t('compare.difference'),
  }
  return (
    <>
      <Section title={t('compare.overview')}>
        <CompareTable label={t('compare.overview')} heads={heads} rows={factRows(t, comparison)} />
      </Section>
      {given.length > 0 ? (
        <Section title={t('params')}>
          <CompareTable label={t('params')} heads={heads} rows={given} />
        </Section>
      ) : null}
    </>
  )
}

const Given = ({ value }: { value: unknown }) => (
  <span className="whitespace-pre-wrap">{typeof value === 'string' ? value : JSON.stringify(value)}</span>
)

/** A fact of both sides; they differ where `of` gives two values. */
function factRows(t: T, { a, b, steps, first_difference: first }: RunComparison): CompareRow[] {
  const different = (differs: boolean) => (differs ? t('compare.state.changed') : null)
  const row = (
    id: string,
    label: ReactNode,
    show: (run: RunSide) => ReactNode,
    of?: (run: RunSide) => unknown,
  ) => ({
    id,
    label,
    left: show(a),
    right: show(b),
    difference: different(of !== undefined && of(a) !== of(b)),
  })
  const tokens = (name: 'context' | 'input' | 'output', label: string) =>
    row(
      name,
      label,
      (run) => <span className="tabular">{run.tokens?.[name] ?? t('compare.notSet')}</span>,
      (run) => run.tokens?.[name],
    )
  return [
    row('run', t('run'), (run) => (
      <Link href={`/runs/${run.run_id}`} className="break-all font-mono text-sm">
        {run.run_id}
      </Link>
    )),
    row(
      'status',
      t('status'),
      (run) => <RunStatus status={run.status} />,
      (run) => run.status,
    ),
    row('requested', t('requested'), (run) => <ExactTime at={run.requested_at} />),
    {
      ...row(
        'definition',
        t('compare.version'),
        (run) => <Definition run={run} />,
        (run) => run.definition_sha256,
      ),
      isFirst: first?.part === 'definition',
    },
    row(
      'replay',
      t('compare.replay'),
      (run) => t('atStep', { n: run.from_step ?? 1 }),
      (run) => run.from_step ?? 1,
    ),
    row('duration', t('duration'), (run) =>
      run.started_at ? <Duration from={run.started_at} to={run.finished_at} /> : t('compare.notSet'),
    ),
    ...STEPS.map(({ n, name }): CompareRow => {
      const step = steps.find((one) => one.step === n)
      return {
        id: `step ${n}`,
        label: `0${n} ${t(`phases.${name}`)}`,
        left: <Took t={t} step={step?.a} />,
        right: <Took t={t} step={step?.b} />,
        difference: different(step?.a.status !== step?.b.status),
      }
    }),
    tokens('context', t('context')),
    tokens('input', t('compare.tokensIn')),
    tokens('output', t('compare.tokensOut')),
  ]
}

const Definition = ({ run }: { run: RunSide }) => (
  <span className="flex flex-wrap items-baseline gap-x-2">
    {run.agent_version ? `v${run.agent_version}` : null}
    {run.definition_sha256 ? <Digest value={run.definition_sha256} /> : null}
  </span>
)

/** How long a step took; one that was reused took its time in the run that executed it. */
function Took({ t, step }: { t: T; step: RunComparison['steps'][number]['a'] | undefined }) {
  if (!step) return null
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      <span>{t(`stepState.${step.status}`)}</span>
      {step.duration_ms === null ? null : <Milliseconds ms={step.duration_ms} />}
      {step.executed_by_run ? <span className="text-sm text-ink-3">{t('phaseState.reused')}</span> : null}
    </span>
  )
}
