'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AgentCard } from '#contracts/agent.contract.ts'
import { RunErrorLine, RunStatus } from '#features/runs/index.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { STATUS_STYLES } from '../status.ts'
import { AgentRecord, AgentTriggers, RunsTotal } from './agent-triggers.tsx'
import { DefineAgent } from './definition-dialog.tsx'
import { RecoverAgent } from './recover-agent.tsx'
import { RunAgent } from './run-agent.tsx'

/** The agents: what each does, its status, and a button to run it. */
export function AgentsPage() {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const agents = useQuery(trpc.agents.list.queryOptions({}))
  useLiveQueries(['agent.status.changed', 'run.status.changed'], trpc.agents.pathFilter(), POLL_MS.slow)
  const items = agents.data?.items
  return (
    <Page>
      <PageHeader
        title={t('title')}
        sentence={
          items
            ? t('sentence', { active: count(items, 'active'), failing: count(items, 'error') })
            : t('loading')
        }
        action={<DefineAgent />}
      />
      {agents.error && !items ? <ErrorState error={agents.error} onRetry={() => agents.refetch()} /> : null}
      {!items && !agents.error ? <Skeleton lines={8} label={t('title')} /> : null}
      {items?.length === 0 ? <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState> : null}
      <ul className="divide-y divide-line">
        {items?.map((agent, n) => (
          <li key={agent.slug} className="py-5 first:pt-1">
            <Card agent={agent} {...(n < DIGITS ? { keys: String(n + 1) } : {})} />
          </li>
        ))}
      </ul>
    </Page>
  )
}

const count = (items: readonly AgentCard[], status: AgentCard['status']) =>
  items.filter((a) => a.status === status).length

/** So many agents have a key of their own, in the order of the list. */
const DIGITS = 9

function Card({ agent, keys }: { agent: AgentCard; keys?: string }) {
  const t = useTranslations('agents')
  const errors = agent.problems.filter((p) => p.severity === 'error').length
  return (
    <article className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        <h2 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-md font-semibold">
          <Link quiet href={`/agents/${agent.slug}`}>
            {agent.name}
          </Link>
          <AgentStatus status={agent.status} />
        </h2>
        <p className="mt-1 max-w-prose text-ink-2">{agent.description}</p>
        <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-3">
          <span>v{agent.version}</span>
          <span>{agent.model === 'extractive' ? t('noModel') : agent.model}</span>
          <RunsTotal agent={agent} />
          {agent.runs_waiting > 0 ? (
            <span className="text-waiting">{t('queuedRuns', { n: agent.runs_waiting })}</span>
          ) : null}
          <LastRun agent={agent} />
          <AgentRecord agent={agent} />
        </p>
        <div className="mt-1 text-sm text-ink-3">
          <AgentTriggers agent={agent} />
        </div>
        {errors > 0 ? <p className="mt-1 text-sm text-failed">{t('problems', { n: errors })}</p> : null}
        {agent.error ? <RunErrorLine error={agent.error} className="mt-1 block text-sm text-failed" /> : null}
      </div>
      <div className="flex flex-wrap gap-2">
        <RecoverAgent agent={agent} />
        <RunAgent agent={agent} {...(keys ? { keys } : {})} />
      </div>
    </article>
  )
}

/** The state of an agent in a word. */
export function AgentStatus({
  status,
  variant = 'plain',
}: {
  status: AgentCard['status']
  variant?: 'soft' | 'plain'
}) {
  const t = useTranslations('agents')
  return (
    <StatusBadge {...STATUS_STYLES[status]} variant={variant}>
      {t(`state.${status}`)}
    </StatusBadge>
  )
}

function LastRun({ agent }: { agent: AgentCard }) {
  const t = useTranslations('agents')
  const run = agent.running ?? agent.last_run
  if (!run) return <span>{t('neverRun')}</span>
  return (
    <Link quiet href={`/runs/${run.run_id}`} className="inline-flex items-center gap-2">
      <RunStatus status={run.status} />
      <RelativeTime at={run.requested_at} />
    </Link>
  )
}
