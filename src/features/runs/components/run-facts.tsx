'use client'
import { useTranslations } from 'use-intl/react'
import type { RunDetail } from '#contracts/run.contract.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { JsonView } from '#ui/json-view.tsx'
import { Link } from '#ui/link.tsx'
import { ExactTime, Milliseconds } from '#ui/time.tsx'
import { compareHref } from './compare-run.tsx'
import { RunStatus } from './run-status.tsx'

/** What a run is: who asked, with what, on which definition, and what it used. */
export function RunFacts({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const rows: (FieldRow | null)[] = [
    { label: t('run'), value: <Id value={run.run_id} full /> },
    { label: t('trigger'), value: t(`triggers.${run.trigger as 'manual'}`) },
    { label: t('requestedBy'), value: run.requested_by },
    { label: t('requested'), value: <ExactTime at={run.requested_at} /> },
    run.inbox_entry_id
      ? {
          label: t('entry'),
          value: (
            <Link href={`/inbox/${run.inbox_entry_id}`} className="font-mono text-sm">
              {run.inbox_entry_id}
            </Link>
          ),
        }
      : null,
    run.rerun_reason ? { label: t('rerun.why'), value: run.rerun_reason } : null,
    run.reruns.length > 0 ? { label: t('rerun.reruns'), value: <Reruns run={run} /> } : null,
    Object.keys(run.params).length > 0
      ? { label: t('params'), value: <JsonView value={run.params} /> }
      : null,
    run.agent_version ? { label: t('definition'), value: `${run.agent_slug} v${run.agent_version}` } : null,
    run.definition_sha256 ? { label: '', id: 'sha', value: <Digest value={run.definition_sha256} /> } : null,
    run.engine ? { label: t('engine'), value: `${run.engine.id} ${run.engine.version}` } : null,
    run.grounding
      ? {
          label: t('grounding'),
          value: t('groundedOf', { n: run.grounding.grounded_claims, total: run.grounding.claims }),
        }
      : null,
    run.tokens ? { label: t('context'), value: <span className="tabular">{run.tokens.context}</span> } : null,
    run.resumes > 0 ? { label: t('resumes'), value: t('times', { n: run.resumes }) } : null,
    run.retries_used > 0
      ? { label: t('retries'), value: t('ofBudget', { n: run.retries_used, total: run.retry_budget }) }
      : null,
    run.p95_ms === null ? null : { label: t('p95'), value: <Milliseconds ms={run.p95_ms} /> },
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}

/** The latest replays of the run, each with its comparison. */
function Reruns({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  return (
    <ul className="space-y-1">
      {run.reruns.map((rerun) => (
        <li key={rerun.run_id} className="flex flex-wrap items-center gap-x-3">
          <Link href={`/runs/${rerun.run_id}`} className="font-mono text-sm">
            {rerun.run_id}
          </Link>
          <span className="text-sm text-ink-3">{t('rerun.fromStep', { n: rerun.from_step })}</span>
          <RunStatus status={rerun.status} />
          <Link href={compareHref(run, rerun)} className="text-sm">
            {t('compare.act')}
          </Link>
        </li>
      ))}
    </ul>
  )
}
