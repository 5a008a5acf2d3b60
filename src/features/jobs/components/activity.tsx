'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl/react'
import type { DashboardMetrics } from '#contracts/dashboard.contract.ts'
import { formatDuration } from '#lib/duration.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useUrlValue } from '#lib/url-state.ts'
import { Button } from '#ui/button.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { LineChart } from '#ui/lazy.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { activityOf, highest, type Activity as Series, WINDOWS } from '../activity.ts'
import { ActivityTable } from './activity-table.tsx'

/** How the queue went: its depth, throughput, the wait for a worker and latency as charts, and the same as a table. */
export function Activity() {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const [asked, setAsked] = useUrlValue('window', '24h')
  const window = WINDOWS.find((one) => one === asked) ?? '24h'
  const metrics = useQuery(
    trpc.dashboard.metrics.queryOptions(
      { window },
      { refetchInterval: POLL_MS.idle, placeholderData: keepPreviousData },
    ),
  )
  return (
    <Section
      hint={t('activityGap')}
      title={t('tabActivity')}
      actions={
        // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, no fields of a form
        <div role="group" aria-label={t('activityWindow')} className="flex gap-1">
          {WINDOWS.map((one) => (
            <Button
              key={one}
              size="sm"
              kind={one === window ? 'secondary' : 'quiet'}
              aria-pressed={one === window}
              onClick={() => setAsked(one)}
            >
              {t(`windows.${one}`)}
            </Button>
          ))}
        </div>
      }
    >
      {metrics.error ? <ErrorState error={metrics.error} onRetry={() => metrics.refetch()} /> : null}
      {metrics.data ? <Shown metrics={metrics.data} /> : null}
      {metrics.isPending ? <Skeleton lines={8} label={t('tabActivity')} /> : null}
    </Section>
  )
}

function Shown({ metrics }: { metrics: DashboardMetrics }) {
  const t = useTranslations('jobs')
  const activity = useMemo(() => activityOf(metrics), [metrics])
  return (
    <>
      <div className="grid gap-6 md:grid-cols-2">
        <Charts metrics={metrics} activity={activity} />
      </div>
      <details className="mt-4">
        <summary data-chrome className="cursor-pointer text-sm text-ink-2">
          {t('activityTable')}
        </summary>
        <ActivityTable metrics={metrics} activity={activity} />
      </details>
    </>
  )
}

/** Between the lines of a scale of seconds. */
const SECONDS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600]

function Charts({ metrics, activity }: { metrics: DashboardMetrics; activity: Series }) {
  const t = useTranslations('jobs')
  const { formatCount, formatSeconds, formatTime } = useFormats(metrics.window)
  const lines = useMemo(
    () => ({
      depth: [
        { label: t('waitingJobs'), values: activity.waiting },
        { label: t('retryingJobs'), values: activity.retrying },
        { label: t('workingJobs'), values: activity.working },
      ],
      start: [
        { label: t('p50'), values: activity.startP50 },
        { label: t('p95'), values: activity.startP95 },
      ],
      throughput: [
        { label: t('completed'), values: activity.completed },
        { label: t('failedAttempts'), values: activity.failed },
      ],
      latency: [
        { label: t('p50'), values: activity.p50 },
        { label: t('p95'), values: activity.p95 },
      ],
    }),
    [t, activity],
  )
  const total = (groups: readonly { count: number }[]) => groups.reduce((sum, { count }) => sum + count, 0)
  const now = metrics.queue.reduce((sum, { waiting }) => sum + waiting, 0)
  const quantiles = ({ p50, p95 }: Pick<DashboardMetrics['latency'], 'p50' | 'p95'>) =>
    p50 === null || p95 === null
      ? null
      : t('latencySummary', { p50: formatSeconds(p50), p95: formatSeconds(p95) })
  const common = { times: activity.times, formatTime }
  return (
    <>
      <LineChart
        {...common}
        title={t('depth')}
        summary={t('depthSummary', {
          now,
          most: Math.ceil(Math.max(now, highest(activity.waiting) ?? 0)),
          dead: metrics.dead.now,
        })}
        lines={lines.depth}
        formatValue={formatCount}
      />
      <LineChart
        {...common}
        title={t('throughput')}
        summary={t('throughputSummary', {
          completed: total(metrics.throughput),
          failed: total(metrics.failures),
          retries: metrics.retries,
        })}
        lines={lines.throughput}
        formatValue={formatCount}
      />
      <LineChart
        {...common}
        title={t('startLatency')}
        summary={quantiles(metrics.start) ?? t('startNone')}
        lines={lines.start}
        formatValue={formatSeconds}
        steps={SECONDS}
      />
      <LineChart
        {...common}
        title={t('latency')}
        summary={quantiles(metrics.latency) ?? t('latencyNone')}
        lines={lines.latency}
        formatValue={formatSeconds}
        steps={SECONDS}
      />
    </>
  )
}

const HOURS = { hour: 'numeric', minute: '2-digit' } as const
const DAYS = { day: 'numeric', month: 'short' } as const

function useFormats(window: DashboardMetrics['window']) {
  const format = useFormatter()
  const locale = useLocale()
  const formatCount = useCallback((value: number) => format.number(value), [format])
  const formatSeconds = useCallback((s: number) => formatDuration(s * 1_000, locale, true), [locale])
  const formatTime = useCallback(
    (ms: number) => format.dateTime(new Date(ms), window === '7d' ? DAYS : HOURS),
    [format, window],
  )
  return { formatCount, formatSeconds, formatTime }
}
