'use client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocale } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { keepDevice } from '../kept-device.ts'
import { currentSubscription, deviceName } from '../push-device.ts'

/** Tells the server of this browser as it is now, once. */
export function ConfirmDevice() {
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
