'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProjectionFault } from '#contracts/system.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Section } from '#ui/section.tsx'
import { RelativeTime } from '#ui/time.tsx'

const POLL_MS = 15_000

/** What the projector has set aside, with a retry for each; nothing is shown while there is nothing. */
export function ProjectionFaults() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const faults = useQuery(trpc.system.projectionFaults.queryOptions(undefined, { refetchInterval: POLL_MS }))
  useLiveQueries(['health.changed'], trpc.system.projectionFaults.pathFilter(), POLL_MS)
  const columns = useFaultColumns()
  if (!faults.data?.items.length) return null
  return (
    <Section title={t('faults')} hint={t('faultsHint')}>
      <DataTable
        label={t('faults')}
        columns={columns}
        rows={faults.data.items}
        rowId={(fault) => `${fault.resource_type} ${fault.resource_id}`}
        rowName={(fault) => fault.resource_id}
        scope="projection-faults"
        error={null}
        onRetry={() => faults.refetch()}
        keyboard={false}
        empty={null}
      />
    </Section>
  )
}

function useFaultColumns() {
  const t = useTranslations('settings')
  return useMemo(
    () =>
      columnsOf<ProjectionFault>([
        {
          id: 'subject',
          header: t('faultSubject'),
          card: 'title',
          cell: (f) => `${f.resource_type} ${f.resource_id}`,
        },
        {
          id: 'object',
          header: t('faultObject'),
          cell: (f) => <code className="break-all">{f.object_key}</code>,
        },
        {
          id: 'message',
          header: t('message'),
          cell: (f) => <span className="text-ink-2">{f.message}</span>,
        },
        {
          id: 'since',
          header: t('faultSince'),
          card: 'fact',
          cell: (f) => <RelativeTime at={f.occurred_at} />,
        },
        { id: 'actions', header: t('accountActions'), align: 'end', cell: (f) => <RetryFault fault={f} /> },
      ]),
    [t],
  )
}

function RetryFault({ fault: { resource_type, resource_id, retrying } }: { fault: ProjectionFault }) {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const no = useRight('projection.retry')
  const retry = useToastMutation(
    trpc.system.retryProjection.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.system.projectionFaults.pathFilter()),
    }),
    { done: () => t('faultRetried', { id: resource_id }) },
  )
  return (
    <Button
      size="sm"
      disabledReason={no ?? (retrying ? t('retryingFault') : undefined)}
      busy={retry.isPending}
      onClick={() => retry.mutate({ resource_type, resource_id })}
    >
      {t('retryFault')}
    </Button>
  )
}
