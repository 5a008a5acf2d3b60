'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { LeaseView, TaskDetail } from '#contracts/llm-task.contract.ts'
import type { AttemptView } from '#contracts/task-report.contract.ts'
import { taskLeaseMachine } from '#domain/task/task-lease.machine.ts'
import { Link } from '#ui/link.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Milliseconds, RelativeTime } from '#ui/time.tsx'
import { workerHref } from '../input.ts'
import { OUTCOME_STYLES } from '../status.ts'
import { knownCode } from '../task-state.ts'
import { ContextReport } from './context-report.tsx'
import { LeaseLeft } from './lease-time.tsx'
import { LiveTail } from './live-tail.tsx'

const ACTIVE = taskLeaseMachine.events.grant.to
const PHASES = ['starting', 'context', 'running', 'reporting'] as const

/** The attempts of a task, newest first: who works on it or did, under which lease, and how it ended. */
export function Attempts({ task }: { task: TaskDetail }) {
  const t = useTranslations('tasks')
  if (task.attempt_list.length === 0) return <p className="text-ink-3">{t('noAttempts')}</p>
  const leases = new Map(task.leases.map((lease) => [lease.id, lease]))
  return (
    <ol className="space-y-6">
      {task.attempt_list.map((attempt) => (
        <li key={attempt.lease_id}>
          <Attempt attempt={attempt} lease={leases.get(attempt.lease_id)} />
        </li>
      ))}
    </ol>
  )
}

function Attempt({ attempt, lease }: { attempt: AttemptView; lease: LeaseView | undefined }) {
  const t = useTranslations('tasks')
  const { tail, partial_output: partial } = attempt
  return (
    <>
      <Head attempt={attempt} lease={lease} />
      {lease?.status === ACTIVE ? <LeaseLeft lease={lease} /> : null}
      <Fault attempt={attempt} />
      {tail ? (
        <Part title={t('tail')}>
          <LiveTail label={t('tail')} text={tail} />
        </Part>
      ) : null}
      {partial ? (
        <Part title={t('partial')}>
          <PlainText text={partial} />
        </Part>
      ) : null}
      {attempt.context_report.length > 0 ? (
        <Part title={t('contextReport')}>
          <ContextReport report={attempt.context_report} id={attempt.lease_id} />
        </Part>
      ) : null}
    </>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mt-3">
      <h4 className="mb-1 text-sm text-ink-3">{title}</h4>
      {children}
    </div>
  )
}

function Head({ attempt, lease }: { attempt: AttemptView; lease: LeaseView | undefined }) {
  const t = useTranslations('tasks')
  const { outcome, duration_ms, tokens_used, model } = attempt
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <h3 className="font-medium">{t('attemptN', { n: attempt.number })}</h3>
      <Link href={workerHref(attempt.worker_id)}>{attempt.worker}</Link>
      {outcome ? (
        <StatusBadge {...OUTCOME_STYLES[outcome]}>{t(`outcome.${outcome}`)}</StatusBadge>
      ) : (
        <Phase phase={attempt.phase} />
      )}
      <span className="flex flex-wrap gap-x-3 text-sm text-ink-3">
        {lease ? <RelativeTime at={lease.started_at} /> : null}
        {duration_ms === null ? null : <Milliseconds ms={duration_ms} />}
        {tokens_used === null ? null : <span>{t('tokensUsed', { count: tokens_used })}</span>}
        {model ? <span>{model}</span> : null}
        {lease ? <span>{t('fence', { fence: lease.fence })}</span> : null}
      </span>
    </div>
  )
}

/** What the worker says that it is doing; a phase that the console does not know is shown as it came. */
function Phase({ phase }: { phase: string | null }) {
  const t = useTranslations('tasks')
  const known = PHASES.find((one) => one === phase)
  return (
    <StatusBadge tone="working">{known ? t(`phases.${known}`) : (phase ?? t('state.leased'))}</StatusBadge>
  )
}

/** What went wrong: by its code in the reader's language, and in the worker's own words below. */
function Fault({ attempt: { error_code, error_message } }: { attempt: AttemptView }) {
  const t = useTranslations('tasks')
  if (!error_code && !error_message) return null
  const code = knownCode(error_code)
  return (
    <div className="mt-1.5 max-w-prose">
      {error_code ? (
        <p className={code === 'canceled' ? 'text-ink-2' : 'text-failed'}>
          {code ? t(`errors.${code}`) : error_code}
        </p>
      ) : null}
      {error_message ? (
        <p className="whitespace-pre-wrap break-words text-sm text-ink-2">{error_message}</p>
      ) : null}
    </div>
  )
}
