'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobAttempt } from '#contracts/job.contract.ts'
import { ACTIVE_JOB_STATES } from '#domain/job/job.machine.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Duration, ExactTime, Milliseconds } from '#ui/time.tsx'
import { AttemptOutcome } from './attempt-outcome.tsx'
import { JobErrorLine } from './job-error.tsx'

const PHASES = ACTIVE_JOB_STATES

/** What the time axis shows, as numbers; nothing where there was nothing. */
export function AttemptTable({ attempts }: { attempts: readonly JobAttempt[] }) {
  const t = useTranslations('jobs')
  const columns = useMemo(() => {
    const number = { align: 'end', card: 'fact' } as const
    return columnsOf<JobAttempt>([
      {
        id: 'started',
        header: t('started'),
        card: 'title',
        cell: (a) => <ExactTime at={a.started_at} />,
      },
      { id: 'outcome', header: t('status'), card: 'corner', cell: (a) => <AttemptOutcome attempt={a} /> },
      {
        id: 'queue',
        header: t('segment.queue'),
        ...number,
        cell: (a) => (a.queued_at ? <Duration from={a.queued_at} to={a.started_at} /> : null),
      },
      ...PHASES.map((state) => ({
        id: state,
        header: t(`state.${state}`),
        ...number,
        cell: (a: JobAttempt) => <PhaseTime attempt={a} state={state} />,
      })),
      {
        id: 'backoff',
        header: t('segment.backoff'),
        ...number,
        cell: (a) =>
          a.finished_at && a.backoff_until ? <Duration from={a.finished_at} to={a.backoff_until} /> : null,
      },
      {
        id: 'error',
        header: t('failureCode'),
        wrap: true,
        cell: (a) => (a.error ? <JobErrorLine error={a.error} /> : null),
      },
    ])
  }, [t])
  return (
    <DataTable
      label={t('attempts')}
      columns={columns}
      rows={attempts}
      rowId={(a) => a.started_at}
      rowName={(a) => (a.attempt === 0 ? t('firstAttempt') : t('retry', { n: a.attempt }))}
      scope="attempts"
      keyboard={false}
      empty={null}
    />
  )
}

function PhaseTime({ attempt, state }: { attempt: JobAttempt; state: string }) {
  const phase = attempt.phases.find((one) => one.state === state)
  if (!phase) return null
  return phase.ms === null ? <Duration from={phase.started_at} /> : <Milliseconds ms={phase.ms} />
}
