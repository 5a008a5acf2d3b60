'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { cx } from '#ui/cx.ts'
import type { Verdict } from '../verdict.ts'
import { JobErrorDetail } from './job-error.tsx'
import { isCancelled } from './job-status.tsx'

type Props = {
  job: JobDetail
  verdict: Verdict | null
  /** The one button that helps. */
  children?: ReactNode
}

/** Why a job failed in a sentence, its error once, what follows, and the button that helps; of a job that goes on only the error of its last attempt. */
export function JobVerdict({ job, verdict, children }: Props) {
  const t = useTranslations('jobs')
  const cancelled = isCancelled(job)
  if (!verdict)
    return job.error && job.artifact_id === null ? (
      <section aria-label={t('error')} className="mt-4 rounded bg-sunken px-3 py-2 text-ink-2">
        <h2 className="text-sm font-medium text-ink">{t('error')}</h2>
        <JobErrorDetail error={job.error} />
      </section>
    ) : null
  return (
    <section
      aria-labelledby="verdict"
      className={cx(
        'mt-4 flex flex-wrap items-start gap-x-6 gap-y-3 rounded px-3 py-3',
        cancelled ? 'bg-sunken text-ink-2' : 'bg-failed-soft text-failed',
      )}
    >
      <div className="min-w-0 flex-1 basis-64">
        <h2 id="verdict" className="font-semibold">
          <Sentence verdict={verdict} />
        </h2>
        {job.error && !verdict.by ? (
          <div className="mt-1">
            <JobErrorDetail error={job.error} />
          </div>
        ) : null}
        {verdict.by?.reason ? <p className="mt-1">“{verdict.by.reason}”</p> : null}
        <p className="mt-1 text-sm text-ink-2">{t(`verdict.next.${verdict.help}`)}</p>
      </div>
      {children ? <div data-chrome>{children}</div> : null}
    </section>
  )
}

function Sentence({
  verdict: { kind, dead, attempts, alike, by },
}: Pick<Props, 'verdict'> & { verdict: Verdict }) {
  const t = useTranslations('jobs')
  if (by) return t(`verdict.${kind === 'cancelled' ? 'cancelled' : 'operator'}`, { actor: by.actor })
  if (kind === 'exhausted' && attempts > 0)
    return t(dead ? 'verdict.dead' : 'verdict.exhausted', { count: attempts, alike: alike ? 'yes' : 'no' })
  return t(attempts > 0 ? 'verdict.invalid' : 'verdict.refused')
}
