'use client'
import { useTranslations } from 'use-intl/react'
import type { RunDetail } from '#contracts/run.contract.ts'
import { JobStatus } from '#features/jobs/index.ts'
import { useCodeText } from '#lib/use-fault-text.ts'
import { CodedError } from '#ui/coded-error.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'

/** The results of a run: summary, proposals, jobs and artifacts, each linked. */
export function RunResults({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const jobs = useTranslations('jobs')
  const codeText = useCodeText()
  const nothing =
    !run.summary && run.proposals_created.length + run.job_list.length + run.artifact_list.length === 0
  return (
    <Section title={t('result')}>
      {nothing ? (
        <p className="text-ink-3">{t('noResult', { ended: String(run.finished_at !== null) })}</p>
      ) : null}
      {run.summary ? <p className="max-w-prose whitespace-pre-line">{run.summary}</p> : null}
      <List
        title={t('proposalsTitle')}
        items={run.proposals_created.map((p) => ({
          id: p.proposal_id,
          href: `/proposals/${p.proposal_id}`,
          text: p.summary,
          note: p.target,
          badge: p.reused ? t('rerun.proposalReused') : '',
        }))}
      />
      <List
        title={t('artifacts')}
        items={run.artifact_list.map((a) => ({
          id: a.artifact_id,
          href: `/artifacts/${a.artifact_id}`,
          text: a.title,
          note: '',
          badge: '',
        }))}
      />
      {run.job_list.length > 0 ? (
        <>
          <h3 className="mt-4 text-sm font-medium text-ink-3">{t('jobs')}</h3>
          <ul className="mt-1 space-y-1">
            {run.job_list.map((job) => (
              <li key={job.job_id} className="flex flex-wrap items-center gap-x-3">
                <Link href={`/jobs/${job.job_id}`} className="font-mono text-sm">
                  <span data-paper={job.job_id}>{job.job_id.slice(0, 8)}</span>
                </Link>
                <span className="text-ink-2">{jobs(`types.${job.job_type}`)}</span>
                <JobStatus job={job} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {run.proposals_refused.length > 0 ? (
        <>
          <h3 className="mt-4 text-sm font-medium text-ink-3">{t('refused')}</h3>
          <ul className="mt-1 space-y-1 text-sm">
            {run.proposals_refused.map((r) => (
              <li key={r.index}>
                <CodedError sentence={codeText(r.code)} code={r.code} message={r.message} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Section>
  )
}

type Item = { id: string; href: string; text: string; note: string; badge: string }

function List({ title, items }: { title: string; items: readonly Item[] }) {
  if (items.length === 0) return null
  return (
    <>
      <h3 className="mt-4 text-sm font-medium text-ink-3">{title}</h3>
      <ul className="mt-1 space-y-1">
        {items.map((item) => (
          <li key={item.id} className="flex flex-wrap items-baseline gap-x-2">
            <Link href={item.href}>{item.text}</Link>
            {item.note ? <span className="break-all font-mono text-sm text-ink-3">{item.note}</span> : null}
            {item.badge ? <span className="text-sm text-ink-3">{item.badge}</span> : null}
          </li>
        ))}
      </ul>
    </>
  )
}
