'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AlertDetail } from '#contracts/alert.contract.ts'
import { ObjectHistory } from '#features/audit/index.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'
import { pageOf, SEVERITY_STYLES, STATUS_STYLES } from '../status.ts'
import { Acknowledge } from './acknowledge.tsx'
import { Deliveries } from './deliveries.tsx'
import { LimitText, Reading } from './reading.tsx'

/** One alert: what was measured, who has taken it on, which messages went out, and where to look. */
export function AlertPage({ id }: { id: string }) {
  const t = useTranslations('alerts')
  const trpc = useTRPC()
  const alert = useQuery(trpc.alerts.get.queryOptions({ alert_id: id }, { refetchInterval: POLL_MS.slow }))
  useLiveQueries(['incident.changed'], trpc.alerts.get.queryFilter({ alert_id: id }), POLL_MS.slow)
  if (alert.data) return <AlertBody alert={alert.data} />
  return (
    <Page>
      {alert.error ? (
        <ObjectError error={alert.error} onRetry={() => alert.refetch()} id={id} listHref="/alerts" />
      ) : (
        <Skeleton lines={8} label={t('alert')} />
      )}
    </Page>
  )
}

function AlertBody({ alert }: { alert: AlertDetail }) {
  const t = useTranslations('alerts')
  return (
    <Page>
      <PageHeader
        above={<Link href="/alerts">{t('title')}</Link>}
        title={t(`rules.${alert.rule}`)}
        sentence={
          <span className="inline-flex flex-wrap items-center gap-2">
            <StatusBadge {...SEVERITY_STYLES[alert.severity]} variant="soft">
              {t(`severities.${alert.severity}`)}
            </StatusBadge>
            <StatusBadge {...STATUS_STYLES[alert.status]} variant="soft">
              {t(`state.${alert.status}`)}
            </StatusBadge>
          </span>
        }
        action={
          <>
            <Link href={pageOf(alert)} className={buttonClass('primary')}>
              {t('look')}
            </Link>
            <Acknowledge alert={alert} size="md" />
          </>
        }
      />
      <p className="mb-4 max-w-prose text-ink-2">{t(`advice.${alert.rule}`)}</p>
      <Section title={t('details')}>
        <Facts alert={alert} />
      </Section>
      {alert.deliveries.length > 0 ? (
        <Section title={t('messages')}>
          <Deliveries rows={alert.deliveries} />
        </Section>
      ) : null}
      <Section title={t('timeline')}>
        <ObjectHistory key={`${alert.status} ${alert.severity}`} type="alert" id={alert.alert_id} />
      </Section>
    </Page>
  )
}

function Facts({ alert }: { alert: AlertDetail }) {
  const t = useTranslations('alerts')
  const time = (at: string) => (
    <>
      <ExactTime at={at} /> (<RelativeTime at={at} className="text-ink-3" />)
    </>
  )
  const rows: (FieldRow | null)[] = [
    { label: t('resource'), value: <span className="font-mono text-sm">{alert.resource}</span> },
    { label: t('reading'), value: <Reading alert={alert} /> },
    alert.samples === null
      ? null
      : { label: t('samples'), value: <span className="tabular">{alert.samples}</span> },
    { label: t('closesAt'), value: <LimitText limit={alert.closes} unit={alert.unit} /> },
    { label: t('readAt'), value: time(alert.read_at) },
    { label: t('since'), value: time(alert.opened_at) },
    alert.escalated_at ? { label: t('escalatedAt'), value: time(alert.escalated_at) } : null,
    alert.acknowledged_by ? { label: t('acknowledgedBy'), value: alert.acknowledged_by } : null,
    alert.note
      ? { label: t('note'), value: <span className="whitespace-pre-wrap">{alert.note}</span> }
      : null,
    alert.closed_at ? { label: t('closedAt'), value: time(alert.closed_at) } : null,
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}
