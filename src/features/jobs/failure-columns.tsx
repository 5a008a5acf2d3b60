import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobBulkFilter } from '#contracts/job.contract.ts'
import type { JobFailures } from '#contracts/job-failures.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Sparkline } from '#ui/sparkline.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { JobErrorLine } from './components/job-error.tsx'

export type FailureGroup = JobFailures['groups'][number]

type Commands = {
  busy: boolean
  requeue: (action: 'requeue', filter: JobBulkFilter) => void
  resolve: (group: FailureGroup) => void
}

const isState = (phase: string): phase is JobState => (jobMachine.states as readonly string[]).includes(phase)

export function useFailureColumns({ busy, requeue, resolve }: Commands) {
  const t = useTranslations('jobs')
  const no = useRight('job.operate')
  return useMemo(
    () =>
      columnsOf<FailureGroup>([
        {
          id: 'code',
          header: t('failureCode'),
          card: 'title',
          cell: (g) => (
            <>
              <JobErrorLine error={{ code: g.code, message: g.code }} className="block" />
              <span className="block text-sm text-ink-3">
                {isState(g.phase) ? t(`state.${g.phase}`) : g.phase} · {g.agents.join(', ')}
              </span>
            </>
          ),
        },
        {
          id: 'pattern',
          header: t('failureMessage'),
          width: 'w-full max-w-0',
          cell: (g) => <Messages group={g} />,
        },
        { id: 'hours', header: t('last24Hours'), card: 'fact', cell: (g) => <Hours group={g} /> },
        {
          id: 'count',
          header: t('failureCount'),
          align: 'end',
          card: 'fact',
          cell: (g) => <b className="tabular">{g.count}</b>,
        },
        {
          id: 'first',
          header: t('failureFirst'),
          card: 'fact',
          align: 'end',
          cell: (g) => <RelativeTime at={g.first_at} className="text-ink-3" />,
        },
        {
          id: 'last',
          header: t('failureLast'),
          card: 'fact',
          align: 'end',
          cell: (g) => <RelativeTime at={g.last_at} className="text-ink-3" />,
        },
        {
          id: 'commands',
          header: <span className="sr-only">{t('commands')}</span>,
          align: 'end',
          cell: (g) => (
            <span data-chrome className="flex justify-end gap-1">
              <Button
                size="sm"
                disabledReason={no}
                busy={busy}
                aria-label={t('requeueGroup', { count: g.count, error: g.code })}
                onClick={() => requeue('requeue', { code: g.code, phase: g.phase as JobState })}
              >
                {t('requeueCount', { count: g.count })}
              </Button>
              <Button
                size="sm"
                kind="quiet"
                disabledReason={no}
                aria-label={`${t('resolve')}: ${g.code}`}
                onClick={() => resolve(g)}
              >
                {t('resolve')}
              </Button>
            </span>
          ),
        },
      ]),
    [t, no, busy, requeue, resolve],
  )
}

/** The newest message, how many other kinds there are, and who resolved the group before. */
function Messages({ group }: { group: FailureGroup }) {
  const t = useTranslations('jobs')
  const { resolution } = group
  return (
    <>
      <span className="block truncate text-ink-2">
        {group.sample_message}
        {group.patterns > 1 ? (
          <span className="ml-2 text-ink-3">{t('otherMessages', { count: group.patterns - 1 })}</span>
        ) : null}
      </span>
      {resolution ? (
        <span className="block truncate text-sm text-ink-3" data-tip={resolution.reason}>
          {t('resolvedBy', { actor: resolution.by })} <RelativeTime at={resolution.at} />: “
          {resolution.reason}”
        </span>
      ) : null}
    </>
  )
}

function Hours({ group: { hours } }: { group: FailureGroup }) {
  const t = useTranslations('jobs')
  const total = hours.reduce((sum, n) => sum + n, 0)
  return <Sparkline values={hours} summary={t('hoursSummary', { count: total, most: Math.max(...hours) })} />
}
