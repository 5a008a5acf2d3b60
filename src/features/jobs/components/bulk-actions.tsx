'use client'
import { useTranslations } from 'use-intl/react'
import type { JobAction, JobBulkResult, JobFilter, JobRow } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS } from '#domain/job/job.rules.ts'
import { can } from '#domain/kernel/machine.ts'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { useBulk } from './use-bulk.tsx'

type Props = {
  ids: ReadonlySet<string>
  rows: readonly JobRow[]
  filter: JobFilter
  /** Selects these and no others. */
  select: (ids: ReadonlySet<string>) => void
  /** Told what a command did. */
  done: (result: JobBulkResult) => void
}

const ORDER: readonly JobAction[] = ['requeue', 'cancel', 'fail']
const allows = (action: JobAction, state: JobState) => can(jobMachine, state, JOB_ACTION_EVENTS[action])

/** The states that a filter leaves, as far as it names any. */
const statesOf = ({ status, code, phase }: JobFilter): readonly JobState[] =>
  status ?? (code || phase ? (jobMachine.events.requeue.from ?? []) : [])

/** Requeues, cancels or fails what is selected, or all that the filter matches; the affected jobs are previewed first. */
export function BulkActions({ ids, rows, filter, select, done }: Props) {
  const t = useTranslations('jobs')
  const no = useRight('job.operate')
  const bulk = useBulk((result) => {
    done(result)
    if (ids.size > 0) select(new Set(result.skipped.map(({ job_id }) => job_id)))
  })
  const selected = rows.filter((j) => ids.has(j.job_id))
  const states = statesOf(filter)
  const whole = ORDER.filter((action) => states.length > 0 && states.every((state) => allows(action, state)))
  const counts = ORDER.map((action) => ({
    action,
    count: selected.filter(({ status }) => allows(action, status)).length,
  }))
  const possible = counts.filter(({ count }) => count > 0)
  const buttons =
    ids.size === 0
      ? whole.map((action) => ({ action, label: t(`bulk.${action}.all`), filter }))
      : (possible.length > 0 ? possible : counts.slice(0, 1)).map(({ action, count }) => ({
          action,
          label: t(`bulk.${action}.selected`, { count }),
          filter: { ids: [...ids] },
        }))
  const none = ids.size > 0 && possible.length === 0 ? t('bulkNone') : undefined
  return (
    <>
      {buttons.length > 0 ? (
        <div data-chrome className="flex flex-wrap items-center gap-2 pb-2">
          {buttons.map(({ action, label, filter }, n) => (
            <Button
              key={action}
              kind={n === 0 ? 'secondary' : 'quiet'}
              disabledReason={no ?? none}
              busy={bulk.busy}
              onClick={() => bulk.start(action, filter)}
            >
              {label}
            </Button>
          ))}
        </div>
      ) : null}
      {bulk.dialogs}
    </>
  )
}
