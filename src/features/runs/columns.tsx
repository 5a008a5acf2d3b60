import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RunRow } from '#contracts/run.contract.ts'
import { PHASES } from '#domain/run/step.machine.ts'
import { columnsOf } from '#ui/data-table-columns.ts'
import { DurationBar, longestOf } from '#ui/duration-bar.tsx'
import { Link } from '#ui/link.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { Blocker } from './components/run-blocker.tsx'
import { RunErrorLine } from './components/run-error.tsx'
import { RunStatus } from './components/run-status.tsx'

/** The columns of the list; its durations are compared with the longest of `rows`. */
export function useRunColumns(rows: readonly RunRow[] | undefined) {
  const t = useTranslations('runs')
  const longest = longestOf((rows ?? []).map((r) => ({ from: r.started_at, to: r.finished_at })))
  return useMemo(
    () =>
      columnsOf<RunRow>([
        {
          id: 'task',
          header: t('task'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (r) => <Task run={r} />,
        },
        {
          id: 'status',
          header: t('status'),
          width: 'w-36',
          card: 'corner',
          cell: (r) => <RunStatus status={r.status} />,
        },
        {
          id: 'phase',
          header: t('phase'),
          card: 'none',
          cell: (r) => (
            <span className="whitespace-nowrap text-ink-2">
              {r.status === 'running' ? t(`phases.${phaseOf(r)}`) : ''}
            </span>
          ),
        },
        {
          id: 'agent',
          header: t('agent'),
          cell: (r) => (
            <Link quiet href={`/agents/${r.agent_slug}`} className="whitespace-nowrap">
              {r.agent_slug}
            </Link>
          ),
        },
        {
          id: 'made',
          header: t('output'),
          cell: (r) =>
            r.proposals > 0 ? (
              <span className="whitespace-nowrap text-ink-2">{t('proposals', { n: r.proposals })}</span>
            ) : null,
        },
        {
          id: 'took',
          header: t('duration'),
          card: 'fact',
          align: 'end',
          cell: (r) =>
            r.started_at ? (
              <DurationBar from={r.started_at} to={r.finished_at} longest={longest} className="text-ink-2" />
            ) : (
              ''
            ),
        },
        {
          id: 'requested',
          header: t('requested'),
          align: 'end',
          cell: (r) => <RelativeTime at={r.requested_at} className="text-ink-3" />,
        },
      ]),
    [t, longest],
  )
}

/** Steps 1–4 are phases 3–6. */
const phaseOf = (run: RunRow) => PHASES[Math.min(run.current_step + 1, PHASES.length - 1)] ?? 'load-context'

function whyWaits(
  { wait_reason, waiting_on }: RunRow,
  t: ReturnType<typeof useTranslations<'runs'>>,
): string | null {
  if (wait_reason) return t(`why.${wait_reason}`)
  if (!waiting_on) return null
  return t(
    ({ job: 'waitingJob', llm_task: 'waitingTask', question: 'waitingAnswer' } as const)[waiting_on.kind],
  )
}

function Task({ run }: { run: RunRow }) {
  const t = useTranslations('runs')
  const why = whyWaits(run, t)
  return (
    <span className="block min-w-0">
      <span className="block truncate">
        {run.title || <span className="font-mono text-sm">{run.run_id}</span>}
      </span>
      {run.trigger === 'manual' ? null : (
        <span className="block truncate text-sm text-ink-3">{t(`triggers.${run.trigger as 'cron'}`)}</span>
      )}
      {why ? (
        <span className="block truncate text-sm text-waiting">
          {why}
          {run.queue_position ? `, ${t('place', { n: run.queue_position })}` : ''}
          <Blocker run={run} />
        </span>
      ) : run.error ? (
        <RunErrorLine error={run.error} className="block truncate text-sm text-failed" />
      ) : null}
    </span>
  )
}
