'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AlertChannels } from '#contracts/alert.contract.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { Section } from '#ui/section.tsx'
import { Deliveries } from './deliveries.tsx'

/** Where messages about alerts go, without secrets, a test of it for the owner, and how the newest went. */
export function ChannelsSection() {
  const t = useTranslations('alerts')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const no = useRight('alert.test')
  const channels = useQuery(
    trpc.alerts.channels.queryOptions(undefined, {
      refetchInterval: ({ state }) => (isSending(state.data) ? POLL_MS.live : POLL_MS.slow),
    }),
  )
  const test = useToastMutation(
    trpc.alerts.sendTest.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.alerts.channels.pathFilter()),
    }),
    { done: ({ requested }) => t('testRequested', { count: requested }) },
  )
  if (!channels.data) return null
  const { webhook, email, deliveries } = channels.data
  const none = !webhook && !email
  return (
    <Section
      title={t('delivery')}
      hint={t(none ? 'deliveryNone' : 'deliveryHint')}
      actions={
        <Button
          disabledReason={no ?? (none ? t('notConfigured') : undefined)}
          busy={test.isPending}
          onClick={() => test.mutate()}
        >
          {t('sendTest')}
        </Button>
      }
    >
      <FieldList
        rows={[
          { label: t('channels.webhook'), value: webhook?.origin ?? t('notConfigured') },
          {
            label: t('channels.email'),
            value: email
              ? t('emailTo', { to: email.to.join(', '), server: email.server })
              : t('notConfigured'),
          },
        ]}
      />
      {deliveries.length > 0 ? (
        <div className="mt-4">
          <Deliveries rows={deliveries} />
        </div>
      ) : null}
    </Section>
  )
}

const isSending = (channels: AlertChannels | undefined) =>
  channels?.deliveries.some((d) => d.status === 'pending' && d.attempts === 0) ?? false
