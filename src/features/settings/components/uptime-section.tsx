'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { HealthHistory } from '#contracts/health-history.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useUrlValue } from '#lib/url-state.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { Segmented } from '#ui/filter-bar.tsx'
import { LookLegend, type PartLook } from '#ui/part-look.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { TableBehind } from '#ui/table-behind.tsx'
import { UptimeBars } from '#ui/uptime-bars.tsx'
import { UptimePercent } from './uptime-percent.tsx'
import { UptimeTable } from './uptime-table.tsx'

const WINDOWS = ['24h', '7d'] as const satisfies readonly HealthHistory['window'][]
type Component = HealthHistory['components'][number]
const LOOKS: Record<Component['buckets'][number], PartLook> = {
  ok: 'solid',
  degraded: 'crossed',
  down: 'hatched',
  unknown: 'empty',
}
const STATES = Object.keys(LOOKS) as (keyof typeof LOOKS)[]

/** How the components were in the last day or week, as far as a worker watched. */
export function UptimeSection() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const [asked, setAsked] = useUrlValue('uptime', WINDOWS[0])
  const window = WINDOWS.find((one) => one === asked) ?? WINDOWS[0]
  const history = useQuery(
    trpc.system.healthHistory.queryOptions(
      { window },
      { refetchInterval: POLL_MS.idle, placeholderData: keepPreviousData },
    ),
  )
  useLiveQueries(['health.changed'], trpc.system.healthHistory.pathFilter(), POLL_MS.idle)
  return (
    <Section
      title={t('uptime')}
      hint={t('uptimeHint')}
      actions={
        <Segmented
          label={t('uptimeWindow')}
          value={window}
          onChange={setAsked}
          options={WINDOWS.map((value) => ({ value, label: t(`uptimeWindows.${value}`) }))}
        />
      }
    >
      {history.error ? <ErrorState error={history.error} onRetry={() => history.refetch()} /> : null}
      {history.isPending ? <Skeleton lines={8} label={t('uptime')} /> : null}
      {history.data ? <Shown history={history.data} /> : null}
    </Section>
  )
}

function Shown({ history }: { history: HealthHistory }) {
  const t = useTranslations('settings')
  return (
    <>
      <ul className="grid gap-2">
        {history.components.map((component) => (
          <li
            key={component.component}
            className="grid grid-cols-[minmax(8rem,13.5rem)_1fr_4.5rem] items-center gap-x-3 max-sm:grid-cols-[1fr_auto]"
          >
            <span className="truncate text-sm">{t(`components.${component.component}`)}</span>
            <Bars component={component} history={history} />
            <span className="tabular text-right text-sm text-ink-2">
              <UptimePercent of={component.uptime} />
            </span>
          </li>
        ))}
      </ul>
      <div className="mt-2">
        <LookLegend parts={STATES.map((id) => ({ id, label: t(`uptimeStates.${id}`), look: LOOKS[id] }))} />
      </div>
      <TableBehind>
        <UptimeTable history={history} />
      </TableBehind>
    </>
  )
}

function Bars({ component, history }: { component: Component; history: HealthHistory }) {
  const t = useTranslations('settings')
  const format = useFormatter()
  const from = Date.parse(history.from)
  const timeOf = (n: number) =>
    format.dateTime(new Date(from + n * history.bucket_seconds * 1_000), {
      ...(history.window === '7d' ? { weekday: 'short' as const } : {}),
      hour: '2-digit',
      minute: '2-digit',
    })
  const count = (state: keyof typeof LOOKS) => component.buckets.filter((one) => one === state).length
  return (
    <span className="max-sm:order-last max-sm:col-span-2">
      <UptimeBars
        summary={t('uptimeSummary', {
          component: t(`components.${component.component}`),
          all: component.buckets.length,
          degraded: count('degraded'),
          down: count('down'),
          unknown: count('unknown'),
        })}
        buckets={component.buckets.map((state) => LOOKS[state])}
        tipOf={(n) =>
          t('uptimeBucket', {
            ...{ from: timeOf(n), to: timeOf(n + 1) },
            state: t(`uptimeStates.${component.buckets[n] ?? 'unknown'}`),
          })
        }
      />
    </span>
  )
}
