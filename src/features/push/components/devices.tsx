'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { PushDevice } from '#contracts/push.contract.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { RelativeTime } from '#ui/time.tsx'
import { keptDevice } from '../kept-device.ts'
import { unsubscribeHere } from '../push-device.ts'

type Props = { devices: readonly PushDevice[]; again: () => Promise<void> }

/** The devices of the reader's account, the newest first, each with its test and its removal. */
export function Devices({ devices, again }: Props) {
  const t = useTranslations('push')
  const columns = useDeviceColumns(again)
  if (devices.length === 0) return <p className="text-ink-3">{t('noDevices')}</p>
  return (
    <DataTable
      label={t('notifications')}
      columns={columns}
      rows={devices as PushDevice[]}
      rowId={({ subscription_id }) => subscription_id}
      scope={`devices ${devices.map(({ subscription_id, last_sent_at }) => subscription_id + last_sent_at).join()}`}
      keyboard={false}
      empty={null}
    />
  )
}

function useDeviceColumns(again: () => Promise<void>) {
  const t = useTranslations('push')
  const trpc = useTRPC()
  const no = useRight('push.own')
  const { mutate: test } = useToastMutation(trpc.push.test.mutationOptions({ onSuccess: again }), {
    done: () => t('testSent'),
  })
  const { mutate: remove } = useToastMutation(
    trpc.push.remove.mutationOptions({
      onSuccess: ({ subscription_id }) => {
        if (subscription_id === keptDevice()) void unsubscribeHere()
        return again()
      },
    }),
    { done: () => t('removed') },
  )
  return useMemo(
    () =>
      columnsOf<PushDevice>([
        {
          id: 'device',
          header: t('device'),
          width: 'w-full',
          card: 'title',
          cell: ({ device, service, subscription_id, last_error }) => (
            <>
              {device}
              <span className="ml-2 text-sm text-ink-3">{service}</span>
              {subscription_id === keptDevice() ? (
                <span className="ml-2 text-sm text-done">{t('thisDevice')}</span>
              ) : null}
              {last_error ? <span className="block text-sm text-failed">{last_error}</span> : null}
            </>
          ),
        },
        {
          id: 'added',
          header: t('added'),
          card: 'fact',
          cell: ({ created_at }) => <RelativeTime at={created_at} />,
        },
        {
          id: 'sent',
          header: t('lastSent'),
          card: 'fact',
          cell: ({ last_sent_at }) => (last_sent_at ? <RelativeTime at={last_sent_at} /> : t('never')),
        },
        {
          id: 'actions',
          header: '',
          name: t('remove'),
          align: 'end',
          card: 'corner',
          cell: ({ subscription_id, device }) => (
            <span className="flex gap-1">
              <Button
                size="sm"
                kind="quiet"
                disabledReason={no}
                aria-label={t('sendTestTo', { device })}
                onClick={() => test({ subscription_id })}
              >
                {t('sendTest')}
              </Button>
              <Button
                size="sm"
                kind="quiet"
                disabledReason={no}
                aria-label={t('removeDevice', { device })}
                onClick={() => remove({ subscription_id })}
              >
                {t('remove')}
              </Button>
            </span>
          ),
        },
      ]),
    [t, no, test, remove],
  )
}
