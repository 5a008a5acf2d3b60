'use client'
import { useTranslations } from 'use-intl/react'
import type { RunDetail, RunStepView } from '#contracts/run.contract.ts'
import { PHASES } from '#domain/run/step.machine.ts'
import { Digest } from '#ui/id.tsx'
import { JsonView } from '#ui/json-view.tsx'
import { Link } from '#ui/link.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Milliseconds } from '#ui/time.tsx'
import { STEP_STYLES } from '../status.ts'
import { stepFacts } from '../step-facts.ts'
import { RunErrorDetail } from './run-error.tsx'

/** The four steps with how long they took and what each made; its stored output unfolds, with its digest. */
export function RunSteps({ run }: { run: RunDetail }) {
  return (
    <ol className="space-y-3">
      {run.steps.map((step) => (
        <li key={step.step}>
          <Step step={step} />
        </li>
      ))}
    </ol>
  )
}

function Step({ step }: { step: RunStepView }) {
  const t = useTranslations('runs')
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <span className="w-52 text-ink-2">
          <span className="tabular text-ink-3">{String(step.step).padStart(2, '0')}</span>{' '}
          {t(`phases.${PHASES[step.step + 1] ?? 'finalize'}`)}
        </span>
        <StatusBadge {...STEP_STYLES[step.status]}>{t(`stepState.${step.status}`)}</StatusBadge>
        {step.duration_ms === null ? null : <Milliseconds ms={step.duration_ms} />}
        {step.executed_by_run ? (
          <span className="text-sm text-ink-3">
            {t('rerun.reusedFrom')}{' '}
            <Link href={`/runs/${step.executed_by_run}`} className="font-mono">
              {step.executed_by_run}
            </Link>
          </span>
        ) : null}
        {step.attempts.length > 1 ? (
          <span className="text-sm text-waiting">{t('attempts', { n: step.attempts.length })}</span>
        ) : null}
      </p>
      {step.error ? (
        <div className="pl-56 text-sm text-failed max-md:pl-0">
          <RunErrorDetail error={step.error} />
        </div>
      ) : null}
      <Made step={step} />
      {step.output ? (
        <details className="mt-1 pl-56 max-md:pl-0">
          <summary className="cursor-pointer text-sm text-ink-3">{t('showOutput')}</summary>
          {step.output_digest ? (
            <p className="mt-1 flex flex-wrap gap-x-1.5 text-sm text-ink-3">
              {t('outputDigest')} <Digest value={step.output_digest} />
            </p>
          ) : null}
          <div className="mt-1">
            <JsonView value={step.output} />
          </div>
        </details>
      ) : null}
    </>
  )
}

/** What the step made, in one line; nothing where it has stored nothing yet. */
function Made({ step }: { step: RunStepView }) {
  const t = useTranslations('runs')
  const facts = stepFacts(step).map(({ fact, n, total = 0 }) => t(`made.${fact}`, { n, total }))
  return facts.length > 0 ? <p className="pl-56 text-sm text-ink-2 max-md:pl-0">{facts.join(' · ')}</p> : null
}

/** The job or the LLM Task that a call is. */
function AskedWork({ call: { job_id, task_id } }: { call: RunDetail['calls'][number] }) {
  const id = job_id ?? task_id
  if (!id) return null
  return (
    <Link href={`/${job_id ? 'jobs' : 'tasks'}/${id}`} className="font-mono">
      <span data-paper={id}>{id.slice(0, 8)}</span>
    </Link>
  )
}

/** Every journalled tool call, in order. */
export function RunCalls({ run }: { run: RunDetail }) {
  return (
    <ol className="space-y-1">
      {run.calls.map((call) => (
        <li key={call.index} className="flex flex-wrap items-baseline gap-x-4 text-sm">
          <span className="tabular w-6 text-ink-3">{call.index + 1}</span>
          <span className="font-mono">{call.tool}</span>
          {call.ms === null ? null : <Milliseconds ms={call.ms} />}
          <AskedWork call={call} />
          {call.error ? <span className="text-failed">{call.error.message}</span> : null}
        </li>
      ))}
    </ol>
  )
}
