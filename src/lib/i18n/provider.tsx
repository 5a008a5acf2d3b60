'use client'
import { type ReactNode, startTransition, useEffect, useState } from 'react'
import { IntlProvider } from 'use-intl/react'
import { ClockProvider } from '../clock.tsx'
import { writePreference } from '../preferences.ts'
import type { Locale } from './locales.ts'
import './types.ts'

type Props = {
  locale: Locale
  /** The messages of the current language only, picked on the server. */
  messages: Record<string, unknown>
  /** The server's instant, in milliseconds: what the first paint calls "now", and how far this machine's clock is off. */
  now: number
  /** The reader's zone as remembered from the last visit; the browser's own takes over after the first paint. */
  timeZone: string
  children: ReactNode
}

/** Language, zone and clock for everything below. The first paint agrees with the server; then the browser's zone is used. */
export function LanguageProvider({ locale, messages, now, timeZone, children }: Props) {
  const [zone, setZone] = useState(timeZone)
  useEffect(() => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone
    if (own && own !== timeZone) writePreference('timezone', own)
    // As a transition: what is not hydrated yet must not be thrown away for it.
    if (own) startTransition(() => setZone(own))
  }, [timeZone])
  return (
    <IntlProvider
      locale={locale}
      messages={messages as never}
      timeZone={zone}
      onError={reportMissing}
      getMessageFallback={({ key }) => key}
    >
      <ClockProvider now={now}>{children}</ClockProvider>
    </IntlProvider>
  )
}

/** A missing message shows its key and is logged in the browser console; the page still renders. */
function reportMissing(error: { message: string }) {
  console.error(error.message)
}
