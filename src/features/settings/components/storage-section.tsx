'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { StorageState } from '#contracts/system.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { Amount } from './amount.tsx'
import { QuerySection } from './query-section.tsx'

const POLL_MS = 60_000

/** The sweep of unreferenced objects: when it last ran, what waits, what it has removed. */
export function StorageSection() {
  const t = useTranslations('settings')
  const storage = useQuery(useTRPC().system.storage.queryOptions(undefined, { refetchInterval: POLL_MS }))
  return (
    <QuerySection title={t('storage')} hint={t('storageHint')} query={storage} lines={5}>
      {({ sweep }) => <FieldList rows={sweepRows(sweep, t)} />}
    </QuerySection>
  )
}

type Translate = ReturnType<typeof useTranslations<'settings'>>

function sweepRows(sweep: StorageState['sweep'], t: Translate): FieldRow[] {
  const { finished_at, listed, waiting, waiting_bytes, removed, total_removed, total_bytes, last_error } =
    sweep
  return [
    { label: t('lastSweep'), value: finished_at ? <RelativeTime at={finished_at} /> : t('never') },
    ...(last_error
      ? [{ label: t('message'), value: <StatusBadge tone="waiting">{last_error}</StatusBadge> }]
      : []),
    { label: t('objectsChecked'), value: t('objects', { n: listed }) },
    {
      label: t('objectsWaiting'),
      value: <Amount text={t('objects', { n: waiting })} bytes={waiting_bytes} />,
    },
    { label: t('objectsRemovedLast'), value: t('objects', { n: removed }) },
    {
      label: t('objectsRemoved'),
      value: <Amount text={t('objects', { n: total_removed })} bytes={total_bytes} />,
    },
  ]
}
