'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobFailures } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { JobErrorLine } from './job-error.tsx'
import { useBulk } from './use-bulk.tsx'

type Group = JobFailures['groups'][number]
const idOf = (g: Group) => `${g.code}·${g.phase}`
const pageOf = ({ code, phase }: Group) => `/jobs?${new URLSearchParams({ code, phase })}`

/** FAILED and DEAD jobs grouped by error and phase, the largest group first; a group leads to its jobs and is requeued as one. */
export function Failures() {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const no = useRight('job.operate')
  const { start, busy, dialogs } = useBulk()
  const failures = useQuery(trpc.jobs.failures.queryOptions())
  const columns = useMemo(
    () =>
      columnsOf<Group>([
        {
          id: 'code',
          header: t('failureCode'),
          card: 'title',
          cell: (g) => <JobErrorLine error={{ code: g.code, message: g.code }} />,
        },
        {
          id: 'pattern',
          header: t('failureMessage'),
          width: 'w-full max-w-0',
          cell: (g) => <Messages group={g} />,
        },
        {
          id: 'phase',
          header: t('failurePhase'),
          cell: (g) => (isState(g.phase) ? t(`state.${g.phase}`) : g.phase),
        },
        { id: 'agents', header: t('agent'), cell: (g) => g.agents.join(', ') },
        {
          id: 'count',
          header: t('failureCount'),
          align: 'end',
          card: 'fact',
          cell: (g) => <b className="tabular">{g.count}</b>,
        },
        {
          id: 'last',
          header: t('failureLast'),
          card: 'fact',
          align: 'end',
          cell: (g) => <RelativeTime at={g.last_at} className="text-ink-3" />,
        },
        {
          id: 'requeue',
          header: <span className="sr-only">{t('requeue')}</span>,
          align: 'end',
          cell: ({ code, phase, count }) => (
            <Button
              size="sm"
              disabledReason={no}
              busy={busy}
              aria-label={t('requeueGroup', { count, error: code })}
              onClick={() => start('requeue', { code, phase: phase as JobState })}
            >
              {t('requeue')}
            </Button>
          ),
        },
      ]),
    [t, no, busy, start],
  )
  return (
    <>
      {dialogs}
      <DataTable
        label={t('tabFailures')}
        columns={columns}
        rows={failures.data?.groups}
        rowId={idOf}
        rowName={(g) => g.code}
        href={pageOf}
        scope="failures"
        error={failures.error}
        onRetry={() => failures.refetch()}
        empty={<EmptyState title={t('failuresEmpty')}>{t('failuresEmptyHint')}</EmptyState>}
      />
    </>
  )
}

/** The newest message, and how many other kinds there are. */
function Messages({ group }: { group: Group }) {
  const t = useTranslations('jobs')
  return (
    <span className="block truncate text-ink-2">
      {group.sample_message}
      {group.patterns > 1 ? (
        <span className="ml-2 text-ink-3">{t('otherMessages', { count: group.patterns - 1 })}</span>
      ) : null}
    </span>
  )
}

const isState = (phase: string): phase is JobState => (jobMachine.states as readonly string[]).includes(phase)
