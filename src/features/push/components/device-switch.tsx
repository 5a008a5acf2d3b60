'use client'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl/react'
import type { PushSettings } from '#contracts/push.contract.ts'
import { useRight } from '#lib/session.tsx'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { keepDevice, keptDevice } from '../kept-device.ts'
import { deviceName, deviceState, subscribeHere, unsubscribeHere } from '../push-device.ts'

type Props = { settings: PushSettings; again: () => Promise<void> }

/** Why this browser can't be notified and what to do, or null. */
export function DeviceHint({ settings }: Pick<Props, 'settings'>) {
  const t = useTranslations('push')
  const state = deviceState()
  if (state === 'ready' || isListed(settings)) return null
  return <p className="mb-3 text-sm text-waiting">{t(state)}</p>
}

const isListed = ({ devices }: PushSettings): boolean => {
  const kept = keptDevice()
  return devices.some(({ subscription_id }) => subscription_id === kept)
}

/** Turns notifications on or off in this browser; where it can't, says why and what to do. */
export function DeviceSwitch({ settings, again }: Props) {
  const t = useTranslations('push')
  const no = useRight('push.own')
  const kept = keptDevice()
  const { turnOn, turnOff, busy } = useSwitch(settings.server_key, again)
  if (isListed(settings))
    return (
      <Button disabledReason={no} busy={busy} onClick={() => turnOff(kept as string)}>
        {t('turnOff')}
      </Button>
    )
  const state = deviceState()
  const refusal = settings.server_key === null ? t('starting') : state === 'ready' ? undefined : t(state)
  return (
    <Button kind="primary" disabledReason={no ?? refusal} busy={busy} onClick={turnOn}>
      {t('turnOn')}
    </Button>
  )
}

function useSwitch(serverKey: string | null, again: () => Promise<void>) {
  const t = useTranslations('push')
  const trpc = useTRPC()
  const language = useLocale() === 'uk' ? 'uk' : 'en'
  const [asking, setAsking] = useState(false)
  const add = useToastMutation(
    trpc.push.subscribe.mutationOptions({
      onSuccess: ({ subscription_id }) => {
        keepDevice(subscription_id)
        return again()
      },
    }),
    { done: () => t('turnedOn') },
  )
  const remove = useToastMutation(trpc.push.remove.mutationOptions({ onSuccess: again }), {
    done: () => t('turnedOff'),
  })
  const turnOn = async () => {
    if (!serverKey) return
    setAsking(true)
    try {
      const own = await subscribeHere(serverKey)
      if (own)
        add.mutate({ ...own, server_key: serverKey, device: deviceName(navigator.userAgent), language })
      else toast({ tone: 'held', text: t('notAllowed') })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      toast({ tone: 'failed', text: t('failed', { reason }) })
    } finally {
      setAsking(false)
    }
  }
  const turnOff = (subscription_id: string) =>
    remove.mutate({ subscription_id }, { onSuccess: () => void unsubscribeHere() })
  return { turnOn, turnOff, busy: asking || add.isPending || remove.isPending }
}
