'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NeedView } from '#contracts/needs.contract.ts'
import { RecoverAgent } from '#features/agents/index.ts'
import { Acknowledge, Reading } from '#features/alerts/index.ts'
import { useErrorSentence } from '#features/jobs/index.ts'
import { FailedCommands, FailureOf } from '#features/proposals/index.ts'
import { HEALTH_STYLES, HealthMessage } from '#features/settings/index.ts'
import { buttonClass } from '#ui/button-class.ts'
import { Link } from '#ui/link.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown, RelativeTime } from '#ui/time.tsx'
import type { Tone } from '#ui/tone.ts'

type Of<K extends NeedView['kind']> = Extract<NeedView, { kind: K }>
const DAY_MS = 86_400_000

/** One entry of what needs the reader: what it is, why it waits, and what can be done. */
export function Need({ need }: { need: NeedView }) {
  switch (need.kind) {
    case 'proposal':
      return <Proposal need={need} />
    case 'failed_proposal':
      return <FailedProposal need={need} />
    case 'question':
      return <Question need={need} />
    case 'agent':
      return <FailingAgent need={need} />
    case 'component':
      return <IllComponent need={need} />
    case 'project':
      return <Project need={need} />
    case 'dead_jobs':
      return <DeadJobs need={need} />
    case 'alert':
      return <Alert need={need} />
  }
}

type EntryProps = {
  tone: Tone
  kind: string
  title: ReactNode
  href: string
  detail: ReactNode
  time?: ReactNode
  actions: ReactNode
  strong?: boolean
}

function Entry({ tone, kind, title, href, detail, time, actions, strong = true }: EntryProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1.5 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex min-w-0 items-baseline gap-x-3">
          <span className="shrink-0 self-center">
            <StatusBadge tone={tone} busy={false}>
              {kind}
            </StatusBadge>
          </span>
          <Link quiet href={href} className={strong ? 'min-w-0 truncate font-semibold' : 'min-w-0 truncate'}>
            {title}
          </Link>
        </p>
        <div className="flex min-w-0 flex-wrap gap-x-3 text-sm text-ink-3">{detail}</div>
      </div>
      <span className="flex flex-wrap items-center gap-x-4 gap-y-1.5 text-sm text-ink-3">
        {time}
        <span className="flex items-center gap-2">{actions}</span>
      </span>
    </div>
  )
}

function Open({ href, act, title }: { href: string; act: string; title: string }) {
  const t = useTranslations('needs')
  return (
    <Link href={href} className={buttonClass('secondary', 'sm')} aria-label={t('actOn', { act, title })}>
      {act}
    </Link>
  )
}

function Proposal({ need: { proposal: p } }: { need: Of<'proposal'> }) {
  const t = useTranslations('needs')
  const href = `/proposals/${p.proposal_id}`
  return (
    <Entry
      tone="waiting"
      kind={t('proposal')}
      title={p.summary}
      href={href}
      strong={!p.seen}
      detail={
        <>
          <span>{p.agent ?? p.source.identity}</span>
          <span className="min-w-0 truncate font-mono">{p.target.path}</span>
        </>
      }
      time={
        <span>
          {t('expiresIn')} <Countdown until={p.expires_at} urgentBelow={DAY_MS} />
        </span>
      }
      actions={<Open href={href} act={t('review')} title={p.summary} />}
    />
  )
}

function FailedProposal({ need: { proposal: p } }: { need: Of<'failed_proposal'> }) {
  const t = useTranslations('needs')
  const href = `/proposals/${p.proposal_id}`
  return (
    <Entry
      tone="failed"
      kind={t('failedProposal')}
      title={p.summary}
      href={href}
      detail={
        <>
          <FailureOf proposal={p} />
          <span className="min-w-0 truncate font-mono">{p.target.path}</span>
        </>
      }
      time={<RelativeTime at={p.updated_at} />}
      actions={
        <>
          <FailedCommands proposal={p} />
          <Open href={href} act={t('open')} title={p.summary} />
        </>
      }
    />
  )
}

function Question({ need: { question } }: { need: Of<'question'> }) {
  const t = useTranslations('needs')
  const href = `/runs/${question.run_id}`
  return (
    <Entry
      tone="waiting"
      kind={t('question')}
      title={question.text}
      href={href}
      detail={
        <>
          <span>{question.agent_name}</span>
          <span className="min-w-0 truncate">{question.run_title}</span>
        </>
      }
      time={
        <span>
          {t('expiresIn')} <Countdown until={question.expires_at} urgentBelow={DAY_MS} />
        </span>
      }
      actions={<Open href={href} act={t('answer')} title={question.text} />}
    />
  )
}

function FailingAgent({ need: { agent } }: { need: Of<'agent'> }) {
  const t = useTranslations('needs')
  return (
    <Entry
      tone="failed"
      kind={t('failingAgent')}
      title={agent.name}
      href={`/agents/${agent.slug}`}
      detail={<span className="[overflow-wrap:anywhere]">{agent.error?.message}</span>}
      actions={<RecoverAgent agent={agent} />}
    />
  )
}

function IllComponent({ need }: { need: Of<'component'> }) {
  const t = useTranslations('needs')
  const words = useTranslations('settings')
  const name = words(`components.${need.component}`)
  const href = '/settings'
  return (
    <Entry
      {...HEALTH_STYLES[need.status]}
      kind={words(`states.${need.status}`)}
      title={name}
      href={href}
      detail={<HealthMessage message={need.message} />}
      time={
        need.since ? (
          <span>
            {t('lastSuccess')} <RelativeTime at={need.since} />
          </span>
        ) : null
      }
      actions={<Open href={href} act={t('viewHealth')} title={name} />}
    />
  )
}

function Project({ need }: { need: Of<'project'> }) {
  const t = useTranslations('needs')
  const href = `/leadership/${need.canonical_id}`
  return (
    <Entry
      tone={need.reason === 'unreadable' ? 'failed' : 'waiting'}
      kind={t('project')}
      title={need.name}
      href={href}
      detail={t(`projectReason.${need.reason}`)}
      actions={<Open href={href} act={t('open')} title={need.name} />}
    />
  )
}

function DeadJobs({ need: { count, exact, newest } }: { need: Of<'dead_jobs'> }) {
  const t = useTranslations('needs')
  const sentenceOf = useErrorSentence()
  const one = count === 1
  const href = one ? `/jobs/${newest.job_id}` : '/jobs?tab=failures'
  const title = t('deadJobs', { count, exact: String(exact) })
  return (
    <Entry
      tone="dead"
      kind={t('dead')}
      title={title}
      href={href}
      detail={newest.code ? (sentenceOf(newest.code) ?? newest.code) : null}
      time={<RelativeTime at={newest.since} />}
      actions={<Open href={href} act={t(one ? 'open' : 'viewFailures')} title={title} />}
    />
  )
}

function Alert({ need: { alert } }: { need: Of<'alert'> }) {
  const t = useTranslations('needs')
  const words = useTranslations('alerts')
  return (
    <Entry
      tone={alert.severity === 'critical' ? 'failed' : 'waiting'}
      kind={t('alert')}
      title={words(`rules.${alert.rule}`)}
      href={`/alerts/${alert.alert_id}`}
      detail={
        <>
          <span className="break-all font-mono">{alert.resource}</span>
          <Reading alert={alert} />
        </>
      }
      time={<RelativeTime at={alert.opened_at} />}
      actions={<Acknowledge alert={alert} />}
    />
  )
}
