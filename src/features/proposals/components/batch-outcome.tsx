'use client'
import { useTranslations } from 'use-intl/react'
import type {
  BatchAnswer,
  BatchFailure,
  BatchPreview,
  BatchResult,
} from '#contracts/proposal-batch.contract.ts'
import { useCodeText } from '#lib/use-fault-text.ts'
import { OutcomeDialog } from '#ui/outcome-dialog.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { STATUS_STYLES } from '../status.ts'

type Props = { answer: BatchAnswer; preview: BatchPreview; close: () => void }

/** What became of each proposal of a batch in which some could not be decided: those first, each with its reason. */
export function BatchOutcome({ answer, preview, close }: Props) {
  const t = useTranslations('proposals')
  const { status, proposals } = preview
  const names = new Map(proposals.map(({ proposal_id, summary }) => [proposal_id, summary]))
  const item = (result: BatchResult) => ({
    id: result.proposal_id,
    name: names.get(result.proposal_id) ?? result.proposal_id,
    href: `/proposals/${result.proposal_id}`,
    quiet: result.outcome !== 'error',
    status: <Became result={result} wanted={status} />,
  })
  const others = answer.results.filter(({ outcome }) => outcome !== 'error')
  return (
    <OutcomeDialog
      title={t(`batch.${status}.done`, { count: answer.updated })}
      description={t('batchFailed', { count: answer.errors.length })}
      label={t('batchOutcome')}
      items={[...answer.errors, ...others].map(item)}
      close={close}
    />
  )
}

/** Why one could not be decided, in a word where there is one. */
function useFailureWord(): (failure: BatchFailure) => string {
  const t = useTranslations('proposals')
  const sentence = useCodeText()
  return ({ code, message, status }) => {
    if (status === 'EXPIRED') return t('exclusion.expired')
    if (code === 'TARGET_CHANGED') return t('exclusion.conflict')
    if (code === 'STALE_REVIEW') return t('changedSince')
    if (code === 'NOT_FOUND') return t('exclusion.not_found')
    if (code === 'INVALID_TRANSITION' && status) return t(`state.${status}`)
    return sentence(code) ?? message
  }
}

function Became({ result, wanted }: { result: BatchResult; wanted: BatchPreview['status'] }) {
  const t = useTranslations('proposals')
  const word = useFailureWord()
  if (result.outcome === 'error') return <StatusBadge tone="failed">{word(result)}</StatusBadge>
  return result.outcome === 'skipped' ? (
    <StatusBadge tone="held">{t('exclusion.decided')}</StatusBadge>
  ) : (
    <StatusBadge {...STATUS_STYLES[wanted]}>{t(`batch.${wanted}.each`)}</StatusBadge>
  )
}
