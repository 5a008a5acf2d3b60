'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { SystemHealth } from '#contracts/system.contract.ts'
import { ChannelsSection } from '#features/alerts/index.ts'
import { RulesSection } from '#features/approval-rules/index.ts'
import { KeysSection } from '#features/keys/index.ts'
import { NotificationsSection } from '#features/push/index.ts'
import { shownHealth, troubled } from '#lib/health.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { AccountsSection } from './accounts-section.tsx'
import { ConfigurationSection } from './configuration-section.tsx'
import { GardenSection } from './garden-section.tsx'
import { HealthSection } from './health-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProjectionFaults } from './projection-faults.tsx'
import { RetentionSection } from './retention-section.tsx'
import { RuntimeSection } from './runtime-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { StorageSection } from './storage-section.tsx'
import { UptimeSection } from './uptime-section.tsx'

const PROBE_MS = 15_000

/** Health of the system, who may come in, one's own sessions and password, and what this installation is. */
export function SettingsPage() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const health = useQuery(trpc.system.health.queryOptions(undefined, { refetchInterval: PROBE_MS }))
  useLiveQueries(['health.changed'], trpc.system.health.pathFilter(), PROBE_MS)
  return (
    <Page>
      <PageHeader title={t('title')} sentence={health.data ? <Sentence health={health.data} /> : undefined} />
      <HealthSection health={health.data} error={health.error} retry={() => health.refetch()} />
      <UptimeSection />
      <ProjectionFaults />
      <GardenSection />
      <RulesSection />
      <NotificationsSection />
      <ChannelsSection />
      <AccountsSection />
      <KeysSection />
      <RuntimeSection />
      <SessionsSection />
      <PasswordSection />
      <StorageSection />
      <RetentionSection />
      <ConfigurationSection />
      <Section title={t('about')}>
        <FieldList
          rows={[
            { label: t('version'), value: health.data?.version ?? '' },
            { label: t('api'), value: <Link href="/api/v1/docs">/api/v1/docs</Link> },
          ]}
        />
      </Section>
    </Page>
  )
}

function Sentence({ health }: { health: SystemHealth }) {
  const t = useTranslations('settings')
  const shown = shownHealth(health)
  return shown === 'degraded' ? t('degraded', { count: troubled(health.components).length }) : t(shown)
}
