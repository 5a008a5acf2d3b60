'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AgentDetail } from '#contracts/agent.contract.ts'
import { ObjectHistory } from '#features/audit/index.ts'
import { TrackRecord } from '#features/proposals/index.ts'
import { RunErrorDetail, RunStatus } from '#features/runs/index.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { ScrollBox } from '#ui/scroll-box.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { AgentCommands } from './agent-commands.tsx'
import { AgentRecord, AgentTriggers, RunsTotal } from './agent-triggers.tsx'
import { AgentStatus } from './agents-page.tsx'
import { DefineAgent } from './definition-dialog.tsx'
import { Problems as ProblemRows } from './definition-problems.tsx'
import { RecoverAgent } from './recover-agent.tsx'
import { RunAgent } from './run-agent.tsx'

const RECENT = 5

/** One agent: its definition, errors, recent runs and commands. */
export function AgentPage({ slug }: { slug: string }) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const agent = useQuery(trpc.agents.get.queryOptions({ slug }))
  useLiveQueries(
    ['agent.status.changed', 'run.status.changed'],
    trpc.agents.get.queryFilter({ slug }),
    POLL_MS.slow,
  )
  if (!agent.data)
    return (
      <Page>
        {agent.error ? (
          <ObjectError error={agent.error} onRetry={() => agent.refetch()} id={slug} listHref="/agents" />
        ) : (
          <Skeleton lines={10} label={t('agent')} />
        )}
      </Page>
    )
  return <AgentBody agent={agent.data} />
}

function AgentBody({ agent }: { agent: AgentDetail }) {
  const t = useTranslations('agents')
  return (
    <Page>
      <PageHeader
        above={<Link href="/agents">{t('title')}</Link>}
        title={agent.name}
        sentence={
          <span className="flex flex-wrap items-center gap-x-3">
            <AgentStatus status={agent.status} variant="soft" />
            <span>{agent.description}</span>
          </span>
        }
        action={
          <>
            <RecoverAgent agent={agent} keys="c" />
            <RunAgent agent={agent} keys="r" />
            {agent.source ? <DefineAgent agent={{ ...agent, source: agent.source }} /> : null}
            <AgentCommands agent={agent} />
          </>
        }
      />
      {agent.error ? (
        <Section title={t('cause')}>
          <div className="rounded bg-failed-soft px-3 py-2 text-failed">
            <RunErrorDetail error={agent.error} />
          </div>
        </Section>
      ) : null}
      <Problems agent={agent} />
      <Section title={t('details')}>
        <Facts agent={agent} />
      </Section>
      <Section title={t('instructions')}>
        <ScrollBox label={t('instructions')} className="max-h-[32rem] bg-sunken">
          <pre className="whitespace-pre-wrap p-4 font-mono text-sm leading-relaxed">
            {agent.instructions}
          </pre>
        </ScrollBox>
      </Section>
      <Section
        title={t('recentRuns')}
        actions={<Link href={`/runs?agent=${agent.slug}`}>{t('allRuns')}</Link>}
      >
        <RecentRuns slug={agent.slug} />
      </Section>
      <Section title={t('history')}>
        <ObjectHistory key={agent.updated_at} type="agent" id={agent.slug} />
      </Section>
    </Page>
  )
}

function Problems({ agent }: { agent: AgentDetail }) {
  const t = useTranslations('agents')
  if (agent.problems.length === 0) return null
  return (
    <Section title={t('problems', { n: agent.problems.length })}>
      <ProblemRows problems={agent.problems} />
    </Section>
  )
}

function Facts({ agent }: { agent: AgentDetail }) {
  const t = useTranslations('agents')
  const { manual, cron, events } = agent.triggers
  const rows: FieldRow[] = [
    { label: t('version'), value: agent.version },
    { label: t('model'), value: agent.model === 'extractive' ? `extractive — ${t('noModel')}` : agent.model },
    { label: t('tools'), value: <Words list={agent.tools} /> },
    { label: t('outputs'), value: <Words list={agent.safe_outputs} /> },
    ...(!manual || cron !== null || events.length > 0
      ? [{ label: t('startedBy'), value: <AgentTriggers agent={agent} /> }]
      : []),
    {
      label: t('record'),
      value: (
        <span className="flex flex-wrap gap-x-4">
          <RunsTotal agent={agent} />
          <AgentRecord agent={agent} />
        </span>
      ),
    },
    { label: t('decisions'), value: <TrackRecord agent={agent.slug} /> },
    { label: t('file'), value: <code className="break-all font-mono text-sm">{agent.file}</code> },
    { label: t('revision'), value: <Digest value={agent.revision} algorithm="git" /> },
    ...(agent.sources.length > 0 ? [{ label: t('sources'), value: <Words list={agent.sources} /> }] : []),
  ]
  return <FieldList rows={rows} />
}

const Words = ({ list }: { list: readonly string[] }) => (
  <span className="font-mono text-sm">{list.join(', ')}</span>
)

function RecentRuns({ slug }: { slug: string }) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const runs = useQuery(trpc.runs.list.queryOptions({ agent: slug, limit: RECENT }))
  useLiveQueries(
    ['run.status.changed'],
    trpc.runs.list.queryFilter({ agent: slug, limit: RECENT }),
    POLL_MS.slow,
  )
  if (!runs.data) return <Skeleton lines={3} label={t('recentRuns')} />
  if (runs.data.items.length === 0) return <p className="text-ink-3">{t('neverRun')}</p>
  return (
    <ul className="space-y-1.5">
      {runs.data.items.map((run) => (
        <li key={run.run_id} className="flex flex-wrap items-center gap-x-4">
          <RunStatus status={run.status} />
          <Link href={`/runs/${run.run_id}`} className="min-w-0 truncate">
            {run.title || run.run_id}
          </Link>
          <RelativeTime at={run.requested_at} className="text-sm text-ink-3" />
        </li>
      ))}
    </ul>
  )
}
