'use client'
import { useTranslations } from 'use-intl/react'
import type { JobRow } from '#contracts/job.contract.ts'
import { shortId } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'

type Waiting = Pick<JobRow, 'wait_reason' | 'wait_blocker'>
type Reason = NonNullable<JobRow['wait_reason']>

/** What kind of thing a job waits for, by the reason; the rest are components of the system. */
const BLOCKER_PAGES: Partial<Record<Reason, string>> = {
  agent_busy: '/jobs',
  dependency: '/jobs',
  agent_inactive: '/agents',
}

/** The page of what the job waits for: a job, an agent, or Settings for a component. */
export function blockerHref(reason: Reason, blocker: string): string {
  const page = BLOCKER_PAGES[reason]
  return page ? `${page}/${blocker}` : '/settings'
}

/** Why a job waits, in a sentence with a link to what it waits for. Nothing in backoff, which the state itself counts down. */
export function WaitReason({ job }: { job: Waiting }) {
  const t = useTranslations('jobs')
  const { wait_reason: reason, wait_blocker: blocker } = job
  if (!reason || reason === 'backoff') return null
  return (
    <>
      {t(`why.${reason}`)}
      {blocker ? (
        <>
          {' '}
          <Link href={blockerHref(reason, blocker)} className="font-mono">
            {shortId(blocker)}
          </Link>
        </>
      ) : null}
    </>
  )
}
