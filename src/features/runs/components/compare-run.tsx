'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RunDetail, RunRow } from '#contracts/run.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Duration, RelativeTime } from '#ui/time.tsx'
import { RunStatus } from './run-status.tsx'

/** The address of a comparison: the older run left, the newer right. */
export function compareHref(one: Compared, other: Compared): string {
  const [a, b] = one.requested_at <= other.requested_at ? [one, other] : [other, one]
  return `/runs/compare?a=${a.run_id}&b=${b.run_id}`
}
type Compared = Pick<RunRow, 'run_id' | 'requested_at'>

const LATEST = 20

/** Chooses the run that this one is compared with, from the latest of its agent. */
export function CompareRun({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const [open, setOpen] = useState(false)
  useAction({
    id: 'runs.compare',
    label: t('compare.act'),
    keys: 'd',
    group: t('title'),
    run: () => setOpen(true),
  })
  return (
    <>
      <Button keys="d" onClick={() => setOpen(true)}>
        {t('compare.act')}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('compare.with')}
        description={t('compare.withHint', { agent: run.agent_name })}
      >
        <Others run={run} />
      </Dialog>
    </>
  )
}

function Others({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const list = useQuery(trpc.runs.list.queryOptions({ agent: run.agent_slug, limit: LATEST }))
  if (!list.data)
    return list.error ? (
      <ErrorState error={list.error} onRetry={() => list.refetch()} />
    ) : (
      <Skeleton lines={6} label={t('title')} />
    )
  const others = list.data.items.filter((other) => other.run_id !== run.run_id)
  if (others.length === 0) return <p className="text-ink-2">{t('compare.noOther')}</p>
  return (
    <ul className="-mx-2">
      {others.map((other, i) => (
        <li
          key={other.run_id}
          className="flex flex-wrap items-center gap-x-3 gap-y-0.5 rounded px-2 py-1.5 hover:bg-hover"
        >
          <Link
            href={compareHref(run, other)}
            className="min-w-0 flex-1 basis-48 truncate"
            data-autofocus={i === 0 || undefined}
          >
            {other.title || other.run_id}
          </Link>
          <RunStatus status={other.status} />
          {other.started_at ? (
            <Duration from={other.started_at} to={other.finished_at} className="text-sm text-ink-3" />
          ) : null}
          <RelativeTime at={other.requested_at} className="text-sm text-ink-3" />
        </li>
      ))}
    </ul>
  )
}
