'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SystemHealth } from '#contracts/system.contract.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Section } from '#ui/section.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Milliseconds, RelativeTime } from '#ui/time.tsx'
import { HEALTH, numberIn, reasonOf } from '../status.ts'

type Name = keyof SystemHealth['components']
type Line = SystemHealth['components'][Name] & { name: Name }

/** Every component with its status, latency and message. */
export function HealthSection({
  health,
  error,
  retry,
}: {
  health: SystemHealth | undefined
  error: unknown
  retry: () => void
}) {
  const t = useTranslations('settings')
  const columns = useHealthColumns()
  const rows = useMemo(
    () =>
      health && Object.entries(health.components).map(([name, c]): Line => ({ name: name as Name, ...c })),
    [health],
  )
  return (
    <Section title={t('health')} hint={t('healthHint')}>
      <DataTable
        label={t('health')}
        columns={columns}
        rows={rows}
        rowId={(line) => line.name}
        rowName={(line) => t(`components.${line.name}`)}
        scope="health"
        error={error}
        onRetry={retry}
        keyboard={false}
        empty={null}
      />
    </Section>
  )
}

/** A message whose reason is known in the reader's language, with what was reported on pointing; any other as it came. */
export function HealthMessage({ message }: { message: string | null }) {
  const t = useTranslations('settings')
  const { reason, text } = reasonOf(message ?? '')
  const shown = reason ? t(`healthReasons.${reason}`, { n: numberIn(text) }) : text
  return (
    <span
      className="block text-ink-2 [overflow-wrap:anywhere]"
      {...(reason && text ? { 'data-tip': text } : {})}
    >
      {shown}
    </span>
  )
}

/** Nothing for a component that is not configured: it was never meant to answer. */
function LastSuccess({ line }: { line: Line }) {
  const t = useTranslations('settings')
  if (line.last_success_at) return <RelativeTime at={line.last_success_at} className="text-ink-3" />
  return line.status === 'not_configured' ? null : t('never')
}

function useHealthColumns() {
  const t = useTranslations('settings')
  return useMemo(
    () =>
      columnsOf<Line>([
        { id: 'component', header: t('component'), card: 'title', cell: (c) => t(`components.${c.name}`) },
        {
          id: 'state',
          header: t('state'),
          card: 'corner',
          cell: (c) => <StatusBadge {...HEALTH[c.status]}>{t(`states.${c.status}`)}</StatusBadge>,
        },
        {
          id: 'latency',
          header: t('latency'),
          card: 'fact',
          align: 'end',
          cell: (c) => (c.latency_ms === null ? '' : <Milliseconds ms={Math.round(c.latency_ms)} />),
        },
        {
          id: 'last',
          header: t('lastSuccess'),
          card: 'fact',
          cell: (c) => <LastSuccess line={c} />,
        },
        {
          id: 'message',
          header: t('message'),
          width: 'w-full max-w-0',
          cell: (c) => <HealthMessage message={c.message} />,
        },
      ]),
    [t],
  )
}
