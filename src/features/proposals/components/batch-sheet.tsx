'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { BatchPreview } from '#contracts/proposal-batch.contract.ts'
import { EXCLUSIONS } from '#domain/proposal/batch.rules.ts'
import { REASON_LENGTH, type ReasonCode } from '#domain/proposal/decision.rules.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { AffectedSet } from '#ui/outcome-dialog.tsx'
import { useDwell } from '../hooks/use-approval-check.ts'
import { type ReasonChoice, ReasonField } from './reason-field.tsx'

export type Stated = { decision_note?: string; reason_code?: ReasonCode }
type Props = {
  preview: BatchPreview
  decide: (stated: Stated) => Promise<void>
  close: () => void
}

/** The set as it was when this was asked: what is decided, the commits and files of it, what is left out and why. A rejection takes one note for all. */
export function BatchSheet({ preview, decide, close }: Props) {
  const t = useTranslations('proposals')
  const { status } = preview
  const [code, setCode] = useState<ReasonChoice>('')
  const count = preview.proposals.length
  const reject = status === 'REJECTED'
  const level = reject ? null : preview.highest_risk
  const dwell = Math.ceil(useDwell({ risk: level && { level }, status: 'PENDING' }) / 1_000)
  const none = count === 0 ? t(`batch.${status}.none`) : undefined
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t(`batch.${status}.title`, { count })}
      {...(reject ? { description: t('batchNote') } : {})}
      confirmLabel={dwell > 0 ? t('approveIn', { seconds: dwell }) : t(reject ? 'reject' : 'approve')}
      {...(reject ? { tone: 'danger' as const, reason: { ...REASON_LENGTH, label: t('note') } } : {})}
      disabledReason={none ?? (dwell > 0 ? t('dwell', { seconds: dwell }) : undefined)}
      onConfirm={(decision_note) =>
        decide(reject ? { decision_note, ...(code ? { reason_code: code } : {}) } : {})
      }
    >
      <Sheet preview={preview} />
      {reject ? <ReasonField value={code} onChange={setCode} /> : null}
    </ConfirmDialog>
  )
}

function Sheet({ preview }: { preview: BatchPreview }) {
  const t = useTranslations('proposals')
  const { status, commits, files, proposals, highest_priority } = preview
  const overlapping = status === 'APPROVED' ? proposals.filter(({ overlaps }) => overlaps).length : 0
  return (
    <div className="mb-3 space-y-2">
      {commits > 0 ? <p>{t('batchCommits', { commits, files })}</p> : null}
      {highest_priority === 'high' ? <p className="text-waiting">{t('batchHigh')}</p> : null}
      {status === 'APPROVED' ? <HighRisk proposals={proposals} /> : null}
      {overlapping > 0 ? <p className="text-waiting">{t('batchOverlaps', { count: overlapping })}</p> : null}
      <AffectedSet
        names={proposals.map(({ proposal_id, summary }) => ({ id: proposal_id, name: summary }))}
      />
      <Excluded excluded={preview.excluded} />
    </div>
  )
}

/** Names what would do the most harm, before all are approved together. */
function HighRisk({ proposals }: Pick<BatchPreview, 'proposals'>) {
  const t = useTranslations('proposals')
  const risky = proposals.filter(({ risk }) => risk === 'high')
  if (risky.length === 0) return null
  return (
    <div className="rounded bg-failed-soft px-3 py-2 text-sm">
      <p className="text-failed">{t('batchRisk', { count: risky.length })}</p>
      <AffectedSet names={risky.map(({ proposal_id, summary }) => ({ id: proposal_id, name: summary }))} />
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
