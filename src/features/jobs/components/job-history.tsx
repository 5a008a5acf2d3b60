'use client'
import { useTranslations } from 'use-intl/react'
import type { JobDetail, JobHistoryRow } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { Link } from '#ui/link.tsx'
import { RelativeTime } from '#ui/time.tsx'

/** Every transition and every refused write, oldest first. */
export function JobHistory({ job }: { job: JobDetail }) {
  const t = useTranslations('jobs')
  return (
    <ol className="space-y-1.5">
      {job.history.map((h) => (
        <li key={h.event_id} className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 text-sm">
          <RelativeTime at={h.at} className="tabular text-ink-3" />
          <span className="min-w-0">
            <Link quiet href={`/audit?id=${h.event_id}`} className="text-ink">
              {line(t, h)}
            </Link>
            <span className="ml-2 text-ink-3">{t('by', { actor: h.actor })}</span>
            {h.backoff_seconds ? (
              <span className="ml-2 whitespace-nowrap text-waiting">
                {t('backoff', { seconds: h.backoff_seconds })}
              </span>
            ) : null}
            {h.reason ? <span className="ml-2 text-ink-2">“{h.reason}”</span> : null}
            {h.error ? <span className="ml-2 font-mono text-failed">{h.error.code}</span> : null}
          </span>
        </li>
      ))}
    </ol>
  )
}

type Words = ReturnType<typeof useTranslations<'jobs'>>
const isState = (word: string): word is JobState => (jobMachine.states as readonly string[]).includes(word)
const wordOf = (t: Words, state: string) => (isState(state) ? t(`state.${state}`) : state)
const line = (t: Words, h: JobHistoryRow) =>
  h.to
    ? [h.from, h.to]
        .filter((s) => s !== null)
        .map((s) => wordOf(t, s))
        .join(' → ')
    : h.event
