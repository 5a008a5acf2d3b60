'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { JsonView } from '#ui/json-view.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'
import { type Verdict, verdictOf } from '../verdict.ts'
import { AttemptTimeline } from './attempt-timeline.tsx'
import { useJobActions } from './job-actions.tsx'
import { JobHistory } from './job-history.tsx'
import { JobStatus } from './job-status.tsx'
import { JobTimeline } from './job-timeline.tsx'
import { JobVerdict } from './job-verdict.tsx'
import { ReplayJob } from './replay-job.tsx'
import { RequestJobAgain } from './request-job.tsx'
import { useArtifactJump } from './use-artifact-jump.ts'
import { WaitReason } from './wait-reason.tsx'

/** One job: its state, attempts and history, and what can be done about it. */
export function JobPage({ id }: { id: string }) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const job = useQuery(trpc.jobs.get.queryOptions({ job_id: id }))
  useLiveQueries(['job.status.changed'], trpc.jobs.get.queryFilter({ job_id: id }), POLL_MS.live)
  if (!job.data)
    return (
      <Page>
        {job.error ? (
          <ObjectError error={job.error} onRetry={() => job.refetch()} id={id} listHref="/jobs" />
        ) : (
          <Skeleton lines={10} label={t('job')} />
        )}
      </Page>
    )
  return <JobBody key={id} job={job.data} />
}

function JobBody({ job }: { job: JobDetail }) {
  const t = useTranslations('jobs')
  useArtifactJump(job)
  const commands = useJobActions(job)
  const verdict = verdictOf(job)
  const help = verdict?.help
  const passed = [...new Set(job.history.flatMap((h) => (h.to ? [h.to] : [])))]
  return (
    <Page>
      <PageHeader
        above={<Link href="/jobs">{t('title')}</Link>}
        title={job.title || t(`types.${job.job_type}`)}
        sentence={<JobStatus job={job} variant="soft" />}
        action={
          <>
            {job.artifact_id ? (
              <Link href={`/artifacts/${job.artifact_id}`} className={buttonClass('primary')}>
                {t('openArtifact')}
              </Link>
            ) : null}
            {help === 'requeue' ? null : commands.button('requeue')}
            {commands.button('cancel')}
            {commands.button('fail', 'quiet')}
            {help === 'again' ? null : <ReplayJob job={job} />}
          </>
        }
      />
      {commands.dialog}
      <JobTimeline job={job} passed={passed} />
      {job.wait_reason && job.wait_reason !== 'backoff' ? (
        <p className="mt-3 text-waiting">
          <WaitReason job={job} />
        </p>
      ) : null}
      <JobVerdict job={job} verdict={verdict}>
        {help ? <Help job={job} help={help} requeue={commands.button('requeue', 'primary')} /> : null}
      </JobVerdict>
      {job.attempts.length > 0 ? (
        <Section title={t('attempts')}>
          <AttemptTimeline job={job} />
        </Section>
      ) : null}
      <Section title={t('details')}>
        <Facts job={job} />
      </Section>
      <Section title={t('payload')}>
        <JsonView value={job.payload} />
      </Section>
      <Section title={t('history')}>
        <JobHistory job={job} />
      </Section>
    </Page>
  )
}

/** The one button that helps a failed job. */
function Help({ job, help, requeue }: { job: JobDetail; help: Verdict['help']; requeue: ReactNode }) {
  const t = useTranslations('jobs')
  if (help === 'again') return <RequestJobAgain job={job} kind="primary" />
  if (help === 'requeue') return requeue
  return (
    <Link href={`/agents/${job.agent_slug}`} className={buttonClass('primary')}>
      {t('openAgent')}
    </Link>
  )
}

function Facts({ job }: { job: JobDetail }) {
  const t = useTranslations('jobs')
  const rows: (FieldRow | null)[] = [
    { label: t('job'), value: <Id value={job.job_id} full /> },
    { label: t('type'), value: t(`types.${job.job_type}`) },
    { label: t('agent'), value: <Link href={`/agents/${job.agent_slug}`}>{job.agent_slug}</Link> },
    job.run_id
      ? {
          label: t('run'),
          value: (
            <Link href={`/runs/${job.run_id}`} className="font-mono text-sm">
              {job.run_id}
            </Link>
          ),
        }
      : null,
    job.inbox_entry_id
      ? {
          label: t('entry'),
          value: (
            <Link href={`/inbox/${job.inbox_entry_id}`} className="font-mono text-sm">
              {job.inbox_entry_id}
            </Link>
          ),
        }
      : null,
    job.artifact
      ? {
          label: t('artifact'),
          value: <Link href={`/artifacts/${job.artifact.artifact_id}`}>{job.artifact.title}</Link>,
        }
      : null,
    job.replay_of ? { label: t('replay.of'), value: <JobLink id={job.replay_of} /> } : null,
    job.replays.length > 0 ? { label: t('replay.replays'), value: <Replays replays={job.replays} /> } : null,
    { label: t('requestedBy'), value: job.requested_by },
    { label: t('created'), value: <ExactTime at={job.created_at} /> },
    {
      label: t('attempt'),
      value: (
        <span className="tabular">{t('attemptOf', { n: job.attempt + 1, total: job.max_attempts + 1 })}</span>
      ),
    },
    job.requeue_count > 0 ? { label: t('requeues'), value: t('times', { count: job.requeue_count }) } : null,
    job.lease
      ? {
          label: t('lease'),
          value: (
            <>
              {t('leaseUntil', { holder: job.lease.holder, fence: job.lease.fence })}{' '}
              <RelativeTime at={job.lease.expires_at} />
            </>
          ),
        }
      : null,
    { label: t('digest'), value: <Digest value={job.payload_digest} /> },
    job.context_sha256 ? { label: t('context'), value: <Digest value={job.context_sha256} /> } : null,
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}

const JobLink = ({ id }: { id: string }) => (
  <Link href={`/jobs/${id}`} className="font-mono text-sm">
    {id}
  </Link>
)

function Replays({ replays }: Pick<JobDetail, 'replays'>) {
  const t = useTranslations('jobs')
  return (
    <ul>
      {replays.map(({ job_id, status, created_at }) => (
        <li key={job_id} className="flex flex-wrap items-baseline gap-x-2">
          <JobLink id={job_id} />
          <span className="text-ink-2">{t(`state.${status}`)}</span>
          <RelativeTime at={created_at} />
        </li>
      ))}
    </ul>
  )
}
