'use client'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { CountView, JobCounts, JobDetail } from '#contracts/job.contract.ts'
import type { JobRates } from '#contracts/job-rates.contract.ts'
import type { JobState } from '#domain/job/job.machine.ts'
import { cx } from '#ui/cx.ts'
import { Link } from '#ui/link.tsx'
import { StateStepper, type StepperState } from '#ui/state-stepper.tsx'
import { TableBehind } from '#ui/table-behind.tsx'
import { CANCELLED } from '../input.ts'
import { CANCELLED_STYLE, MAIN_STATES, SIDE_STATES, STATUS_STYLES } from '../status.ts'
import { JobMachine } from './job-machine.tsx'
import { isCancelled } from './job-status.tsx'
import { MachineTable } from './machine-table.tsx'

type StatesProps = {
  counts: JobCounts | undefined
  rates: JobRates | undefined
  /** The state whose jobs are listed. */
  shown: string | undefined
}

/** The machine with the number of jobs in each state, and the cancelled ones; each links to its list, and is marked while that is shown. Where it would be too small to read it is a list. */
export function JobStates({ counts, rates, shown }: StatesProps) {
  const t = useTranslations('jobs')
  const format = useFormatter()
  const stop = <S extends JobState>(id: S): StepperState & { id: S; label: string } => ({
    ...list(id, counts?.by_status[id]),
    id,
    label: t(`state.${id as JobState}`),
    tone: STATUS_STYLES[id].tone,
  })
  const list = (id: string, count: CountView | undefined) => {
    const number = count ? format.number(count.count) : undefined
    return {
      id,
      href: `/jobs?status=${id}`,
      shown: id === shown,
      ...(number === undefined ? {} : { count: count?.exact ? number : `≥ ${number}` }),
    }
  }
  const all = [...MAIN_STATES, ...SIDE_STATES].map((id) => ({ ...stop(id), rate: rates?.by_status[id] }))
  const cancelled: StepperState = {
    ...list(CANCELLED, counts?.cancelled),
    label: t('cancelledState'),
    tone: CANCELLED_STYLE.tone,
  }
  return (
    <div className="pb-4">
      <JobMachine states={all} />
      <p className="mt-1 flex items-center gap-3 text-xs text-ink-3 max-lg:hidden">
        {t('machineHint')}
        <Link
          quiet
          href={cancelled.href ?? '/jobs'}
          className={cx('text-sm', cancelled.shown && 'font-semibold text-ink')}
          {...(cancelled.shown ? { 'aria-current': 'true' as const } : {})}
        >
          {cancelled.label} {cancelled.count}
        </Link>
      </p>
      <div className="lg:hidden">
        <StateStepper
          label={t('states')}
          main={MAIN_STATES.map(stop)}
          side={[...SIDE_STATES.map(stop), cancelled]}
        />
      </div>
      <TableBehind>
        <MachineTable states={all} />
      </TableBehind>
    </div>
  )
}

type TimelineProps = { job: Pick<JobDetail, 'status' | 'failure_kind'>; passed: readonly string[] }

/** The state of one job and the states it has passed through; the end of a cancelled one is not called failed. */
export function JobTimeline({ job, passed }: TimelineProps) {
  const t = useTranslations('jobs')
  const current = job.status
  const stop = (id: JobState): StepperState =>
    id === current && isCancelled(job)
      ? { id, label: t('cancelledState'), tone: CANCELLED_STYLE.tone }
      : { id, label: t(`state.${id}`), tone: STATUS_STYLES[id].tone }
  const sides = SIDE_STATES.filter((s) => s === current || passed.includes(s))
  return (
    <StateStepper
      label={t('timeline')}
      main={MAIN_STATES.map(stop)}
      side={sides.map(stop)}
      current={current}
      passed={passed}
    />
  )
}
