'use client'
import { useFormatter, useLocale, useTranslations } from 'use-intl/react'
import type { AlertView } from '#contracts/alert.contract.ts'
import { formatDuration } from '#lib/duration.ts'

type Limit = AlertView['threshold']

/** What the condition measured last, with what it is compared with. */
export function Reading({ alert }: { alert: AlertView }) {
  const t = useTranslations('alerts')
  const measure = useMeasure(alert.unit)
  return (
    <span className="text-ink-2">
      {t(`conditions.${alert.condition}`)}:{' '}
      <span className="tabular whitespace-nowrap font-medium text-ink">{measure(alert.value)}</span>{' '}
      <span className="tabular whitespace-nowrap text-ink-3">
        ({t('limit', { limit: limitText(alert.threshold, measure) })})
      </span>
    </span>
  )
}

/** A limit as it is compared: "> 80%". */
export function LimitText({ limit, unit }: { limit: Limit; unit: AlertView['unit'] }) {
  const t = useTranslations('alerts')
  const measure = useMeasure(unit)
  const text = limit.value < 0 ? t('wellFor', { duration: measure(-limit.value) }) : limitText(limit, measure)
  return <span className="tabular">{text}</span>
}

const SIGNS: Record<Limit['comparison'], string> = { '>': '>', '>=': '≥', '<': '<', '<=': '≤' }
const limitText = ({ comparison, value }: Limit, measure: (value: number) => string) =>
  `${SIGNS[comparison]} ${measure(value)}`

/** A value of the unit as people read it. Below zero stands for how long something has been well. */
function useMeasure(unit: AlertView['unit']): (value: number) => string {
  const format = useFormatter()
  const locale = useLocale()
  const t = useTranslations('alerts')
  return (value) => {
    if (unit === 'share') return format.number(value, { style: 'percent', maximumFractionDigits: 1 })
    if (unit === 'seconds') return formatDuration(Math.max(0, value) * 1_000, locale as 'en' | 'uk')
    if (unit === 'budget') return t('budget', { value: format.number(value, { maximumFractionDigits: 1 }) })
    return unit === 'in_a_row' ? t('inARow', { count: value }) : format.number(value)
  }
}
