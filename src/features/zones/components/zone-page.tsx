'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { ZoneView } from '#contracts/zone.contract.ts'
import { ObjectHistory } from '#features/audit/index.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'
import { STATUS_STYLES } from '../status.ts'
import { ZoneButtons } from './zone-actions.tsx'
import { ZoneReadings } from './zone-readings.tsx'
import { Ends, scopeText } from './zones-page.tsx'

/** One zone: what it shows and until when, which notes its guests opened, and what happened to it. */
export function ZonePage({ id }: { id: string }) {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const zone = useQuery(trpc.zones.get.queryOptions({ zone_id: id }, { refetchInterval: POLL_MS.idle }))
  useLiveQueries(['zone.changed'], trpc.zones.pathFilter(), POLL_MS.slow)
  if (zone.data) return <ZoneBody zone={zone.data} />
  return (
    <Page>
      {zone.error ? (
        <ObjectError error={zone.error} onRetry={() => zone.refetch()} id={id} listHref="/zones" />
      ) : (
        <Skeleton lines={8} label={t('zone')} />
      )}
    </Page>
  )
}

function ZoneBody({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  return (
    <Page>
      <PageHeader
        above={<Link href="/zones">{t('title')}</Link>}
        title={zone.name}
        sentence={
          <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <StatusBadge {...STATUS_STYLES[zone.status]} variant="soft">
              {t(`state.${zone.status}`)}
            </StatusBadge>
            {zone.description ? <span>{zone.description}</span> : null}
          </span>
        }
        action={<ZoneButtons zone={zone} />}
      />
      <Section title={t('page.details')}>
        <Facts zone={zone} />
      </Section>
      <ZoneReadings zoneId={zone.zone_id} />
      <Section title={t('page.history')}>
        <ObjectHistory key={versionOf(zone)} type="zone" id={zone.zone_id} />
      </Section>
    </Page>
  )
}

/** Another one after each event of the zone that its page shows. */
const versionOf = ({ status, entries, expires_at, suggestions, policy_version, locked_until }: ZoneView) =>
  [status, entries, expires_at, suggestions, policy_version, locked_until].join(' ')

function Facts({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  const number = (n: number) => <span className="tabular">{n}</span>
  const rows: (FieldRow | null)[] = [
    { label: t('scope'), value: <span className="font-mono text-sm">{scopeText(zone)}</span> },
    { label: t(zone.status === 'open' ? 'expires' : 'ended'), value: <Ends zone={zone} /> },
    { label: t('guests'), value: number(zone.guests) },
    { label: t('entries'), value: number(zone.entries) },
    zone.failed_attempts > 0 ? { label: t('page.wrongCodes'), value: number(zone.failed_attempts) } : null,
    zone.locked_until ? { label: t('lockedUntil'), value: <RelativeTime at={zone.locked_until} /> } : null,
    {
      label: t('page.suggests'),
      value: t(zone.suggestions ? 'page.suggestsOn' : 'page.suggestsOff'),
    },
    { label: t('page.created'), value: <ExactTime at={zone.created_at} /> },
    { label: t('page.createdBy'), value: zone.created_by },
    {
      label: t('page.policy'),
      value: (
        <details>
          <summary className="w-fit cursor-pointer text-accent hover:underline">
            {t('page.policyVersion', { n: zone.policy_version })}
          </summary>
          <p className="mt-1 max-w-prose whitespace-pre-line text-sm text-ink-2">{zone.consent_policy}</p>
        </details>
      ),
    },
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}
