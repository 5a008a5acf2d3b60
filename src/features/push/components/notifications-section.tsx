'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Section } from '#ui/section.tsx'
import { Choices } from './choices.tsx'
import { DeviceHint, DeviceSwitch } from './device-switch.tsx'
import { Devices } from './devices.tsx'

/** Where and of what the reader is notified: this device, the others, topics, the daily digest. */
export function NotificationsSection() {
  const t = useTranslations('push')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const settings = useQuery(trpc.push.settings.queryOptions(undefined, { refetchInterval: POLL_MS.slow }))
  const again = () => queries.invalidateQueries(trpc.push.settings.pathFilter())
  const { data } = settings
  return (
    <Section
      title={t('notifications')}
      hint={t('notificationsHint')}
      actions={data ? <DeviceSwitch settings={data} again={again} /> : null}
    >
      {settings.error && !data ? (
        <ErrorState error={settings.error} onRetry={() => settings.refetch()} />
      ) : null}
      {data ? (
        <>
          <DeviceHint settings={data} />
          <Devices devices={data.devices} again={again} />
          <Choices settings={data} again={again} />
        </>
      ) : null}
    </Section>
  )
}
