'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { QuerySection } from './query-section.tsx'

/** What this installation runs with; what protects less than the default is marked. */
export function ConfigurationSection() {
  const t = useTranslations('settings')
  const settings = useQuery(useTRPC().system.settings.queryOptions())
  return (
    <QuerySection title={t('configuration')} hint={t('configurationHint')} query={settings} lines={10}>
      {({ items }) => (
        <FieldList
          rows={items.map(({ name, value, warning }) => ({
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
      )}
    </QuerySection>
  )
}
