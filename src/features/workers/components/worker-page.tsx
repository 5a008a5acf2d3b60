'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { WorkerDetail } from '#contracts/worker.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'
import { isUntrusted } from '../worker-state.ts'
import { WorkerAgent } from './worker-agent.tsx'
import { Breaker, hasLimits, Limits, Load, WorkerStatus } from './worker-facts.tsx'
import { ActiveLeases, LastSelections } from './worker-leases.tsx'
import { WorkerMenu } from './worker-menu.tsx'

/** One Worker Node: whether it is there and can take tasks, what it has now, and why it got what it had. */
export function WorkerPage({ id }: { id: string }) {
  const t = useTranslations('workers')
  const trpc = useTRPC()
  const worker = useQuery(
    trpc.workers.get.queryOptions(
      { id },
      {
        refetchInterval: ({ state }) => (state.data?.leases.length ? POLL_MS.moving : POLL_MS.liveness),
      },
    ),
  )
  useLiveQueries(
    ['worker.status.changed', 'task.status.changed'],
    trpc.workers.get.queryFilter({ id }),
    POLL_MS.liveness,
  )
  if (worker.data) return <WorkerBody worker={worker.data} />
  return (
    <Page>
      {worker.error ? (
        <ObjectError error={worker.error} onRetry={() => worker.refetch()} id={id} listHref="/workers" />
      ) : (
        <Skeleton lines={8} label={t('worker')} />
      )}
    </Page>
  )
}

function WorkerBody({ worker }: { worker: WorkerDetail }) {
  const t = useTranslations('workers')
  return (
    <Page>
      <PageHeader
        above={<Link href="/workers">{t('title')}</Link>}
        title={worker.name}
        sentence={<WorkerStatus worker={worker} variant="soft" />}
        action={
          <>
            <Link href={`/tasks?worker=${worker.id}`} className={buttonClass('secondary')}>
              {t('showTasks')}
            </Link>
            <WorkerMenu worker={worker} palette />
          </>
        }
      />
      {hasLimits(worker) ? (
        <div className="mb-5 max-w-prose">
          <Limits worker={worker} />
        </div>
      ) : null}
      <Section title={t('details')}>
        <FieldList rows={useFacts(worker)} />
      </Section>
      <Section title={t('leases')}>
        <ActiveLeases leases={worker.leases} />
      </Section>
      {worker.callable ? <WorkerAgent worker={worker} /> : null}
      <Section title={t('selections')} hint={t('selectionsHint')}>
        <LastSelections leases={worker.last_selections} />
      </Section>
    </Page>
  )
}

function useFacts(worker: WorkerDetail): FieldRow[] {
  const t = useTranslations('workers')
  const { breaker, capabilities } = worker
  const features = featuresOf(capabilities.features)
  const rows: (FieldRow | null)[] = [
    { label: t('heartbeat'), value: <Instant at={worker.last_heartbeat} /> },
    worker.offline_at === null || worker.status === 'online'
      ? null
      : { label: t('offlineSince'), value: <Instant at={worker.offline_at} /> },
    { label: t('load'), value: <Load worker={worker} /> },
    {
      label: t('breaker'),
      value: (
        <>
          <Breaker worker={worker} />
          {breaker.failures > 0 ? (
            <span className="ml-2 text-sm text-ink-3">{t('failures', { count: breaker.failures })}</span>
          ) : null}
        </>
      ),
    },
    { label: t('labels'), value: capabilities.labels.join(', ') || t('noLabels') },
    features ? { label: t('features'), value: <span className="font-mono text-sm">{features}</span> } : null,
    { label: t('address'), value: <Address worker={worker} /> },
    worker.ip_addrs.length > 0
      ? {
          label: t('ipAddresses'),
          value: <span className="font-mono text-sm">{worker.ip_addrs.join(', ')}</span>,
        }
      : null,
    { label: t('version'), value: worker.agent_version ?? t('unknown') },
    { label: t('system'), value: worker.os_info ?? t('unknown') },
    worker.install_method ? { label: t('installed'), value: worker.install_method } : null,
    worker.registered_at === null
      ? { label: t('knownSince'), value: <KnownSince worker={worker} /> }
      : { label: t('registered'), value: <ExactTime at={worker.created_at} /> },
    { label: t('worker'), value: <Id value={worker.id} full /> },
  ]
  return rows.filter((row): row is FieldRow => row !== null)
}

function Instant({ at }: { at: number | null }) {
  const t = useTranslations('workers')
  if (at === null) return t('never')
  return (
    <>
      <ExactTime at={at} /> (<RelativeTime at={at} className="text-ink-3" />)
    </>
  )
}

/** A worker that the control plane alone knows, and what that means. */
function KnownSince({ worker }: { worker: WorkerDetail }) {
  const t = useTranslations('workers')
  return (
    <>
      <ExactTime at={worker.created_at} />
      <span className="block text-sm text-ink-3">{t('knownFromControlPlane')}</span>
    </>
  )
}

/** Where the worker is called, and what it registers where the owner corrected that. */
function Address({ worker }: { worker: WorkerDetail }) {
  const t = useTranslations('workers')
  const { url, registered_url, registered_at } = worker
  if (url === null) return t(registered_at === null ? 'noAddress' : 'fetches')
  return (
    <>
      <span className="break-all font-mono text-sm">{url}</span>
      {registered_url !== null && registered_url !== url ? (
        <span className="block break-all text-sm text-ink-3">
          {t('registeredAs', { url: registered_url })}
        </span>
      ) : null}
      {isUntrusted(worker) ? <span className="block text-sm text-ink-2">{t('notCalledWhy')}</span> : null}
    </>
  )
}

const featuresOf = (features: unknown): string =>
  typeof features === 'object' && features !== null
    ? Object.entries(features)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(', ')
    : ''
