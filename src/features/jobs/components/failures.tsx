'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobFailures } from '#contracts/job.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { RelativeTime } from '#ui/time.tsx'

type Group = JobFailures['groups'][number]
const idOf = (g: Group) => `${g.code}·${g.phase}·${g.pattern}`

/** FAILED and DEAD jobs grouped by error, the newest first. */
export function Failures() {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const failures = useQuery(trpc.jobs.failures.queryOptions())
  const columns = useMemo(
    () =>
      columnsOf<Group>([
        {
          id: 'code',
          header: t('failureCode'),
          card: 'title',
          cell: (g) => <span className="font-mono text-sm">{g.code}</span>,
        },
        {
          id: 'pattern',
          header: t('failureMessage'),
          width: 'w-full max-w-0',
          cell: (g) => <span className="block truncate text-ink-2">{g.sample_message}</span>,
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
      ]),
    [t],
  )
  return (
    <DataTable
      label={t('tabFailures')}
      columns={columns}
      rows={failures.data?.groups}
      rowId={idOf}
      rowName={(g) => g.code}
      href={(g) =>
        g.count === 1 ? `/jobs/${g.sample_job_ids[0]}` : `/jobs?status=${g.dead > 0 ? 'DEAD' : 'FAILED'}`
      }
      scope="failures"
      error={failures.error}
      onRetry={() => failures.refetch()}
      empty={<EmptyState title={t('failuresEmpty')}>{t('failuresEmptyHint')}</EmptyState>}
    />
  )
}

const isState = (phase: string): phase is 'NOTEBOOKLM_CALL' =>
  ['CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE', 'PENDING', 'QUEUED'].includes(phase)
