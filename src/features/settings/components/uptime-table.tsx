'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { HealthHistory } from '#contracts/health-history.contract.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { ExactTime, Milliseconds } from '#ui/time.tsx'
import { UptimePercent } from './uptime-percent.tsx'

type Component = HealthHistory['components'][number]
type Period = HealthHistory['periods'][number]

/** What the bars show, as numbers: the time of each component in each state, and every period in which one was degraded or down. */
export function UptimeTable({ history }: { history: HealthHistory }) {
  const t = useTranslations('settings')
  return (
    <div className="grid gap-4 pt-2">
      <DataTable
        label={t('uptime')}
        columns={useTotals()}
        rows={history.components}
        rowId={({ component }) => component}
        scope={`uptime ${history.window}`}
        keyboard={false}
        empty={null}
      />
      <DataTable
        label={t('uptimePeriods')}
        columns={usePeriods()}
        rows={history.periods}
        rowId={({ component, since }) => `${component} ${since}`}
        scope={`periods ${history.window}`}
        keyboard={false}
        empty={<p className="text-sm text-ink-3">{t('uptimeNone')}</p>}
      />
    </div>
  )
}

function useTotals() {
  const t = useTranslations('settings')
  return useMemo(() => {
    const time = (state: 'degraded' | 'down' | 'unknown') => ({
      id: state,
      header: t(`uptimeStates.${state}`),
      align: 'end' as const,
      card: 'fact' as const,
      cell: ({ seconds }: Component) => (seconds[state] ? <Milliseconds ms={seconds[state] * 1_000} /> : '0'),
    })
    return columnsOf<Component>([
      { id: 'component', header: t('component'), card: 'title', cell: (c) => t(`components.${c.component}`) },
      {
        id: 'uptime',
        header: t('uptime'),
        align: 'end',
        card: 'corner',
        cell: (c) => <UptimePercent of={c.uptime} />,
      },
      time('degraded'),
      time('down'),
      time('unknown'),
    ])
  }, [t])
}

function usePeriods() {
  const t = useTranslations('settings')
  return useMemo(
    () =>
      columnsOf<Period>([
        { id: 'since', header: t('uptimeFrom'), card: 'title', cell: (p) => <ExactTime at={p.since} /> },
        {
          id: 'until',
          header: t('uptimeTo'),
          card: 'fact',
          cell: (p) => (p.until ? <ExactTime at={p.until} /> : t('uptimeNow')),
        },
        {
          id: 'component',
          header: t('component'),
          card: 'fact',
          cell: (p) => t(`components.${p.component}`),
        },
        { id: 'state', header: t('state'), card: 'corner', cell: (p) => t(`uptimeStates.${p.state}`) },
      ]),
    [t],
  )
}
