'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { BatchPreview } from '#contracts/proposal-batch.contract.ts'
import { EXCLUSIONS } from '#domain/proposal/batch.rules.ts'
import { REASON_LENGTH, type ReasonCode } from '#domain/proposal/decision.rules.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { AffectedSet } from '#ui/outcome-dialog.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import type { Asked } from '../hooks/use-batch.tsx'
import { type ReasonChoice, ReasonField } from './reason-field.tsx'

export type Stated = { decision_note?: string; reason_code?: ReasonCode }
type Props = {
  asked: Asked
  decide: (preview: BatchPreview, stated: Stated) => Promise<void>
  close: () => void
}

/** The set as it was frozen: what is decided, the commits and files of it, what is left out and why. A rejection takes one note for all. */
export function BatchSheet({ asked, decide, close }: Props) {
  const t = useTranslations('proposals')
  const { status, ids } = asked
  const preview = usePreviewOnce(asked)
  const [code, setCode] = useState<ReasonChoice>('')
  const count = preview.data?.proposals.length
  const reject = status === 'REJECTED'
  return (
    <Confirm
      open
      onClose={close}
      title={t(`batch.${status}.title`, { count: count ?? ids.length })}
      {...(reject ? { description: t('batchNote') } : {})}
      confirmLabel={t(reject ? 'reject' : 'approve')}
      {...(reject ? { tone: 'danger' as const, reason: { ...REASON_LENGTH, label: t('note') } } : {})}
      disabledReason={
        count === undefined ? t('loading') : count === 0 ? t(`batch.${status}.none`) : undefined
      }
      onConfirm={async (decision_note) => {
        if (!preview.data) return
        await decide(preview.data, {
          ...(reject ? { decision_note } : {}),
          ...(reject && code ? { reason_code: code } : {}),
        })
      }}
    >
      {preview.data ? (
        <Sheet preview={preview.data} />
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => preview.refetch()} />
      ) : (
        <Skeleton lines={4} label={t('batchOutcome')} />
      )}
      {reject ? <ReasonField value={code} onChange={setCode} /> : null}
    </Confirm>
  )
}

/** Read once, when the sheet opens: what is confirmed is what it shows, whatever is read again meanwhile. */
function usePreviewOnce({ status, ids }: Asked) {
  const trpc = useTRPC()
  const [data, setData] = useState<BatchPreview>()
  const query = useQuery(
    trpc.proposals.batchPreview.queryOptions(
      { proposal_ids: [...ids], status },
      { trpc: { context: { longInput: true } }, gcTime: 0, staleTime: 0, enabled: data === undefined },
    ),
  )
  if (data === undefined && query.data && !query.isFetching) setData(query.data)
  return { data, error: query.error, refetch: query.refetch }
}

function Sheet({ preview }: { preview: BatchPreview }) {
  const t = useTranslations('proposals')
  const { status, commits, files, proposals, highest_priority } = preview
  const overlapping = status === 'APPROVED' ? proposals.filter(({ overlaps }) => overlaps).length : 0
  return (
    <div className="mb-3 space-y-2">
      {commits > 0 ? <p>{t('batchCommits', { commits, files })}</p> : null}
      {highest_priority === 'high' ? <p className="text-waiting">{t('batchHigh')}</p> : null}
      {overlapping > 0 ? <p className="text-waiting">{t('batchOverlaps', { count: overlapping })}</p> : null}
      <AffectedSet
        names={proposals.map(({ proposal_id, summary }) => ({ id: proposal_id, name: summary }))}
      />
      <Excluded excluded={preview.excluded} />
    </div>
  )
}

function Excluded({ excluded }: Pick<BatchPreview, 'excluded'>) {
  const t = useTranslations('proposals')
  if (excluded.length === 0) return null
  const sorted = EXCLUSIONS.flatMap((reason) => excluded.filter((one) => one.reason === reason))
  return (
    <div className="rounded bg-sunken px-3 py-2 text-sm">
      <p>{t('excluded', { count: excluded.length })}</p>
      <ul className="relative mt-1 max-h-32 space-y-1 overflow-y-auto">
        {sorted.map(({ proposal_id, summary, reason }) => (
          <li key={proposal_id} className="flex items-baseline gap-3">
            <span className="min-w-0 flex-1 truncate text-ink-2">{summary ?? proposal_id}</span>
            <span className="whitespace-nowrap text-failed">{t(`exclusion.${reason}`)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
