'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { GardenCare } from '#contracts/system.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest } from '#ui/id.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { QuerySection } from './query-section.tsx'

/** The remote that follows the garden's branch, and the newest check of the repository's objects. */
export function GardenSection() {
  const t = useTranslations('settings')
  const garden = useTRPC().system.garden
  // The time of the last push moves without an event, so it is also asked for now and then.
  const care = useQuery(garden.queryOptions(undefined, { refetchInterval: POLL_MS.slow }))
  useLiveQueries(['health.changed'], garden.pathFilter())
  return (
    <QuerySection title={t('components.git_garden')} hint={t('gardenHint')} query={care} lines={3}>
      {({ remote, check }) => <FieldList rows={[...remoteRows(remote, t), ...checkRows(check, t)]} />}
    </QuerySection>
  )
}

type Translate = ReturnType<typeof useTranslations<'settings'>>

function remoteRows(remote: GardenCare['remote'], t: Translate): FieldRow[] {
  if (!remote) return [{ label: t('gardenRemote'), value: t('states.not_configured') }]
  const { problem, waiting, next_attempt_at: next } = remote
  const rows: (FieldRow | null)[] = [
    {
      label: t('gardenRemote'),
      value: <code className="break-all font-mono text-sm">{remote.address}</code>,
    },
    {
      label: t('gardenPushed'),
      value: remote.pushed_at ? (
        <span className="flex flex-wrap items-center gap-x-3">
          <RelativeTime at={remote.pushed_at} />
          {remote.pushed_commit ? <Digest value={remote.pushed_commit} algorithm="git" /> : null}
        </span>
      ) : (
        t('never')
      ),
    },
    waiting > 0 ? { label: t('gardenWaiting'), value: t('proposalCount', { count: waiting }) } : null,
    problem
      ? {
          label: t('gardenProblem'),
          value: (
            <>
              <StatusBadge tone="waiting">{t(`pushProblems.${problem}`)}</StatusBadge>
              <span className="block text-ink-2">{t(`healthReasons.remote_${problem}`, { n: waiting })}</span>
              {remote.message ? <span className="block text-ink-3">{remote.message}</span> : null}
            </>
          ),
        }
      : null,
    next ? { label: t('gardenNext'), value: <RelativeTime at={next} /> } : null,
  ]
  return rows.filter((row) => row !== null)
}

function checkRows(
  { finished_at: at, running, checked_by: by, faults }: GardenCare['check'],
  t: Translate,
): FieldRow[] {
  const rows: (FieldRow | null)[] = [
    {
      label: t('gardenCheck'),
      value: running ? t('gardenChecking') : at ? <RelativeTime at={at} /> : t('never'),
    },
    by && at
      ? {
          label: t('gardenCheckResult'),
          value: (
            <span className="flex flex-wrap items-center gap-x-3">
              <StatusBadge tone={faults.length > 0 ? 'failed' : 'done'}>
                {t('gardenFaults', { count: faults.length })}
              </StatusBadge>
              <span className="text-ink-3">{t(`gardenCheckedBy.${by}`)}</span>
            </span>
          ),
        }
      : null,
    faults.length > 0
      ? {
          label: t('gardenDamaged'),
          value: <code className="whitespace-pre-line break-all font-mono text-sm">{faults.join('\n')}</code>,
        }
      : null,
  ]
  return rows.filter((row) => row !== null)
}
