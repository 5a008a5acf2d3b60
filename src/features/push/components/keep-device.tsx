'use client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocale } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { currentSubscription, deviceName, keepDevice, keptDevice } from '../push-device.ts'

/**
 * Confirms a browser on which notifications are on, once for each page that is loaded: it becomes the device of who is signed in now, speaks the
 * language of the console, and keeps working where the browser has renewed its address.
 */
export function KeepDevice() {
  const isOn = may(useSession().role, 'push.own') && typeof window !== 'undefined' && keptDevice() !== null
  return isOn ? <Confirm /> : null
}

function Confirm() {
  const trpc = useTRPC()
  const language = useLocale() === 'uk' ? 'uk' : 'en'
  const settings = useQuery(trpc.push.settings.queryOptions())
  const { mutate } = useMutation(
    trpc.push.subscribe.mutationOptions({ onSuccess: ({ subscription_id }) => keepDevice(subscription_id) }),
  )
  const asked = useRef(false)
  const key = settings.data?.server_key
  useEffect(() => {
    if (!key || asked.current) return
    asked.current = true
    void currentSubscription().then((own) => {
      if (own) mutate({ ...own, server_key: key, device: deviceName(navigator.userAgent), language })
    })
  }, [key, language, mutate])
  return null
}
