'use client'
import { useFormatter, useTranslations } from 'use-intl/react'

/** Rounded down: what was not always up is not called 100 %. */
export function UptimePercent({ of }: { of: number | null }) {
  const t = useTranslations('settings')
  const format = useFormatter()
  if (of === null) return t('uptimeStates.unknown')
  return format.number(Math.floor(of * 10_000) / 10_000, { style: 'percent', maximumFractionDigits: 2 })
}
