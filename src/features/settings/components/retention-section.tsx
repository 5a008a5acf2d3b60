'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { RetentionState } from '#contracts/system.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useNow } from '#lib/clock.tsx'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { Amount } from './amount.tsx'
import { QuerySection } from './query-section.tsx'
import { RetentionDryRun } from './retention-dry-run.tsx'

const POLL_MS = 60_000

/** Whether artifacts are removed, what was announced and removed, and a dry run for the owner. */
export function RetentionSection() {
  const t = useTranslations('settings')
  const storage = useQuery(useTRPC().system.storage.queryOptions(undefined, { refetchInterval: POLL_MS }))
  const rows = useRows(storage.data?.retention)
  const mayPreview = may(useSession().role, 'retention.preview')
  const days = storage.data?.retention.days
  const hint = typeof days === 'number' ? t('retentionOn', { days }) : t('retentionOff')
  return (
    <QuerySection
      title={t('retention')}
      hint={days === undefined ? undefined : hint}
      query={storage}
      lines={3}
    >
      {({ retention }) => (
        <>
          <FieldList rows={rows} />
          {mayPreview ? <RetentionDryRun days={retention.days} /> : null}
        </>
      )}
    </QuerySection>
  )
}

function useRows(state: RetentionState | undefined): FieldRow[] {
  const t = useTranslations('settings')
  const now = useNow(POLL_MS)
  return state ? [...faultRows(t, state), ...stateRows(t, state, now)] : []
}

type Texts = ReturnType<typeof useTranslations<'settings'>>

/** What keeps retention from removing, and since when. */
const faultRows = (t: Texts, { last_error, failing_since }: RetentionState): FieldRow[] =>
  last_error && failing_since
    ? [
        { label: t('retentionError'), value: <StatusBadge tone="waiting">{last_error}</StatusBadge> },
        { label: t('retentionFailing'), value: <RelativeTime at={failing_since} /> },
      ]
    : []

function stateRows(t: Texts, state: RetentionState, now: number): FieldRow[] {
  const { days, begins_at, artifacts, bytes, oldest_at, removed, removed_bytes } = state
  const gone = {
    label: t('retentionRemoved'),
    value: <Amount text={t('artifacts', { n: removed })} bytes={removed_bytes} />,
  }
  if (days === null) return removed > 0 ? [gone] : []
  // What was announced is of that moment; once removal has begun, what is gone tells more.
  if (begins_at && Date.parse(begins_at) <= now)
    return [{ label: t('retentionBegan'), value: <RelativeTime at={begins_at} /> }, gone]
  return [
    { label: t('retentionFound'), value: <Amount text={t('artifacts', { n: artifacts })} bytes={bytes} /> },
    ...(oldest_at ? [{ label: t('retentionOldest'), value: <RelativeTime at={oldest_at} /> }] : []),
    ...(begins_at ? [{ label: t('retentionBegins'), value: <RelativeTime at={begins_at} /> }] : []),
    gone,
  ]
}
