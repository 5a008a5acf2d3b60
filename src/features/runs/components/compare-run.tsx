'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { RunDetail, RunRow } from '#contracts/run.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { ChooseOther, OtherLinks } from '#ui/choose-other.tsx'
import { Duration, RelativeTime } from '#ui/time.tsx'
import { RunStatus } from './run-status.tsx'

type Compared = Pick<RunRow, 'run_id' | 'requested_at'>

/** The address of a comparison: the older run left, the newer right. */
export function compareHref(one: Compared, other: Compared): string {
  const [a, b] = one.requested_at <= other.requested_at ? [one, other] : [other, one]
  return `/runs/compare?a=${a.run_id}&b=${b.run_id}`
}

const LATEST = 20

/** Chooses the run that this one is compared with, from the latest of its agent. */
export function CompareRun({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  return (
    <ChooseOther
      act={{ id: 'runs.compare', label: t('compare.act'), keys: 'd', group: t('title') }}
      title={t('compare.with')}
      description={t('compare.withHint', { agent: run.agent_name })}
    >
      <Others run={run} />
    </ChooseOther>
  )
}

function Others({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const list = useQuery(trpc.runs.list.queryOptions({ agent: run.agent_slug, limit: LATEST }))
  const others = list.data?.items.filter((other) => other.run_id !== run.run_id)
  return (
    <OtherLinks
      others={others?.map((other) => ({
        id: other.run_id,
        href: compareHref(run, other),
        name: other.title || other.run_id,
        facts: <RunFacts run={other} />,
      }))}
      error={list.error}
      onRetry={() => list.refetch()}
      none={t('compare.noOther')}
    />
  )
}

function RunFacts({ run }: { run: RunRow }) {
  return (
    <>
      <RunStatus status={run.status} />
      {run.started_at ? (
        <Duration from={run.started_at} to={run.finished_at} className="text-sm text-ink-3" />
      ) : null}
      <RelativeTime at={run.requested_at} className="text-sm text-ink-3" />
    </>
  )
}
