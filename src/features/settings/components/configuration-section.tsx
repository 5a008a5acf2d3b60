'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { Section } from '#ui/section.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'

/** What this installation runs with; what protects less than the default is marked. */
export function ConfigurationSection() {
  const t = useTranslations('settings')
  const { data } = useQuery(useTRPC().system.settings.queryOptions())
  if (!data) return null
  return (
    <Section title={t('configuration')} hint={t('configurationHint')}>
      <FieldList
        rows={data.items.map(({ name, value, warning }) => ({
          id: name,
          label: <code className="text-sm">{name}</code>,
          value: (
            <span className="flex flex-wrap items-center gap-x-3">
              <span>{value || t('none')}</span>
              {warning ? <StatusBadge tone="waiting">{t(`relaxed.${warning}`)}</StatusBadge> : null}
            </span>
          ),
        }))}
      />
    </Section>
  )
}
