'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { RunDetail } from '#contracts/run.contract.ts'
import { ObjectHistory } from '#features/audit/index.ts'
import { RunQuestions } from '#features/questions/index.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { CancelRun } from './cancel-run.tsx'
import { CompareRun } from './compare-run.tsx'
import { RerunRun } from './rerun-run.tsx'
import { RunAgain } from './run-again.tsx'
import { Blocker } from './run-blocker.tsx'
import { RunErrorDetail } from './run-error.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunResults } from './run-results.tsx'
import { RunStatus } from './run-status.tsx'
import { RunCalls, RunSteps } from './run-steps.tsx'
import { RunTimeline } from './run-timeline.tsx'

const TOPICS = [
  'run.status.changed',
  'run.step.completed',
  'job.status.changed',
  'task.status.changed',
  'proposal.created',
  'proposal.status.changed',
]

/** One run: timeline, results, and every step as it was stored. */
export function RunPage({ id }: { id: string }) {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const run = useQuery(trpc.runs.get.queryOptions({ run_id: id }))
  useLiveQueries(
    TOPICS,
    trpc.runs.get.queryFilter({ run_id: id }),
    run.data?.finished_at ? 0 : POLL_MS.moving,
  )
  if (!run.data)
    return (
      <Page>
        {run.error ? (
          <ObjectError error={run.error} onRetry={() => run.refetch()} id={id} listHref="/runs" />
        ) : (
          <Skeleton lines={12} label={t('run')} />
        )}
      </Page>
    )
  return <RunBody run={run.data} />
}

function RunBody({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  return (
    <Page>
      <PageHeader
        above={<Link href="/runs">{t('title')}</Link>}
        title={run.title || run.agent_name}
        sentence={<RunSummary run={run} />}
        action={
          <>
            <CancelRun run={run} />
            <CompareRun run={run} />
            <RerunRun key={`from ${run.run_id}`} run={run} />
            <RunAgain key={run.run_id} run={run} />
          </>
        }
      />
      <RunQuestions run={run} />
      <RunTimeline run={run} />
      {run.error ? (
        <Section title={t('error')}>
          <div className="rounded bg-failed-soft px-3 py-2 text-failed">
            <RunErrorDetail error={run.error} />
            {run.error.step ? <p className="text-sm">{t('atStep', { n: run.error.step })}</p> : null}
          </div>
        </Section>
      ) : null}
      <RunResults run={run} />
      <Section title={t('steps')}>
        <RunSteps run={run} />
      </Section>
      {run.calls.length > 0 ? (
        <Section title={t('calls')}>
          <RunCalls run={run} />
        </Section>
      ) : null}
      <Section title={t('details')}>
        <RunFacts run={run} />
      </Section>
      <Section title={t('history')}>
        <ObjectHistory key={run.revision} type="run" id={run.run_id} />
      </Section>
    </Page>
  )
}

function WaitsFor({ waiting }: { waiting: RunDetail['waiting_on'] }) {
  const t = useTranslations('runs')
  if (!waiting) return null
  if (waiting.kind === 'question') return <span className="text-waiting">{t('waitingAnswer')}</span>
  const isJob = waiting.kind === 'job'
  return (
    <span className="text-waiting">
      <Link href={`/${isJob ? 'jobs' : 'tasks'}/${waiting.id}`} className="text-inherit underline">
        {t(isJob ? 'waitingJob' : 'waitingTask')}
      </Link>
    </span>
  )
}

/** The summary line: state, agent, and why it waits. */
function RunSummary({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <RunStatus status={run.status} variant="soft" />
      <Link href={`/agents/${run.agent_slug}`}>{run.agent_name}</Link>
      {run.replay_of ? (
        <span>
          {t('rerun.of')}{' '}
          <Link href={`/runs/${run.replay_of}`} className="font-mono text-sm">
            {run.replay_of}
          </Link>{' '}
          {t('rerun.fromStep', { n: run.from_step ?? 1 })}
        </span>
      ) : null}
      {run.wait_reason ? (
        <span className="text-waiting">
          {t(`why.${run.wait_reason}`)}
          {run.queue_position ? `, ${t('place', { n: run.queue_position })}` : ''}
          <Blocker run={run} />
        </span>
      ) : null}
      <WaitsFor waiting={run.waiting_on} />
      {run.cancel_requested && !run.finished_at ? (
        <span className="text-waiting">{t('cancelling')}</span>
      ) : null}
      {run.engine?.id === 'extractive' ? <span className="text-ink-3">{t('extractive')}</span> : null}
    </span>
  )
}
