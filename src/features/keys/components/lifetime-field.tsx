'use client'
import { useTranslations } from 'use-intl/react'
import { SelectField } from '#ui/fields.tsx'

const LIFETIMES = ['90', '365', 'never'] as const
export type Lifetime = (typeof LIFETIMES)[number]

/** As the server takes it: days, or null for no end. */
export const daysOf = (lifetime: Lifetime): number | null => (lifetime === 'never' ? null : Number(lifetime))

/** How long a new key is valid. */
export function LifetimeField({ value, onChange }: { value: Lifetime; onChange: (value: Lifetime) => void }) {
  const t = useTranslations('keys')
  return (
    <SelectField
      label={t('lifetime')}
      value={value}
      onChange={(chosen) => onChange(chosen as Lifetime)}
      options={LIFETIMES.map((days) => ({ value: days, label: t(`lifetimes.${days}`) }))}
    />
  )
}
