'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useUrlValue } from '#lib/url-state.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { type FailureGroup, useFailureColumns } from '../failure-columns.tsx'
import { FailureHours } from './failure-hours.tsx'
import { useErrorSentence } from './job-error.tsx'
import { useBulk } from './use-bulk.tsx'

const idOf = (g: FailureGroup) => `${g.code}·${g.phase}`
const pageOf = ({ code, phase }: FailureGroup) => `/jobs?${new URLSearchParams({ code, phase })}`

/**
 * FAILED and DEAD jobs grouped by error and phase, the largest group first; a group leads to its jobs, is requeued as one, and is resolved with a
 * note once somebody has dealt with it.
 */
export function Failures() {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const [asked, setAsked] = useUrlValue('resolved', 'no')
  const resolved = asked === 'yes' ? 'yes' : 'no'
  const [resolving, setResolving] = useState<FailureGroup | null>(null)
  const [changes, setChanges] = useState(0)
  const bulk = useBulk(() => setChanges(changes + 1))
  const failures = useQuery(trpc.jobs.failures.queryOptions({ resolved }, { refetchInterval: POLL_MS.idle }))
  const columns = useFailureColumns({ busy: bulk.busy, requeue: bulk.start, resolve: setResolving })
  const { data } = failures
  return (
    <>
      {bulk.dialogs}
      <ResolveDialog
        group={resolving}
        close={() => setResolving(null)}
        done={() => setChanges(changes + 1)}
      />
      {resolved === 'yes' || (data && data.others > 0) ? (
        <div className="flex justify-end pb-2">
          <Button
            size="sm"
            kind="quiet"
            aria-pressed={resolved === 'yes'}
            onClick={() => setAsked(resolved === 'yes' ? 'no' : 'yes')}
          >
            {resolved === 'yes' ? t('showOpenGroups') : t('showResolved', { count: data?.others ?? 0 })}
          </Button>
        </div>
      ) : null}
      <DataTable
        label={t('tabFailures')}
        columns={columns}
        rows={data?.groups}
        rowId={idOf}
        rowName={(g) => g.code}
        href={pageOf}
        scope={`failures ${resolved} ${changes}`}
        error={failures.error}
        onRetry={() => failures.refetch()}
        empty={<EmptyState title={t('failuresEmpty')}>{t('failuresEmptyHint')}</EmptyState>}
      />
      {data && data.groups.length > 0 ? (
        <details className="mt-4">
          <summary className="cursor-pointer text-sm text-ink-2">{t('hoursTable')}</summary>
          <FailureHours groups={data.groups} at={failures.dataUpdatedAt} />
        </details>
      ) : null}
    </>
  )
}

type ResolveProps = { group: FailureGroup | null; close: () => void; done: () => void }

/** Asks what was done about the group; who and why are kept. */
function ResolveDialog({ group, close, done }: ResolveProps) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const sentence = useErrorSentence()
  const resolve = useToastMutation(
    trpc.jobs.resolveFailures.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries(trpc.jobs.failures.pathFilter())
        done()
      },
    }),
    { onFault: () => true, done: () => t('groupResolved') },
  )
  return (
    <Confirm
      open={group !== null}
      onClose={close}
      title={t('resolveTitle', { error: group ? (sentence(group.code) ?? group.code) : '' })}
      description={t('resolveHint', { count: group?.count ?? 0 })}
      confirmLabel={t('resolve')}
      reason={{ label: t('resolveNote'), min: 3, max: 256 }}
      onConfirm={async (reason) => {
        if (group === null) return
        const { code, phase, last_at: through } = group
        await resolve.mutateAsync({ code, phase: phase as 'FAILED', through, reason })
      }}
    />
  )
}
