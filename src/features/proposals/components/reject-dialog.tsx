'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import type { RejectInput } from '#contracts/proposal-commands.contract.ts'
import { REASON_LENGTH } from '#domain/proposal/decision.rules.ts'
import { useDraft } from '#lib/use-draft.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { type ReasonChoice, ReasonField } from './reason-field.tsx'

type Props = {
  proposal: Pick<ProposalItem, 'proposal_id'>
  close: () => void
  submit: (input: RejectInput) => Promise<unknown>
  /** Which one it is, where the page has several. */
  children?: ReactNode
}

/** Asks for the note and the reason of a rejection. What was begun is of this proposal alone, on whatever page. */
export function RejectDialog({ proposal: { proposal_id }, close, submit, children }: Props) {
  const t = useTranslations('proposals')
  const page = `/proposals/${proposal_id}`
  const draft = useDraft('reject', { code: '' }, page)
  const code = draft.values.code as ReasonChoice
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t('rejectTitle')}
      description={t('rejectHint')}
      confirmLabel={t('reject')}
      tone="danger"
      reason={{ ...REASON_LENGTH, label: t('note') }}
      page={page}
      onConfirm={async (note) => {
        await submit({ proposal_id, decision_note: note, ...(code ? { reason_code: code } : {}) })
        draft.clear()
      }}
    >
      {children ? <p className="mb-3">{children}</p> : null}
      <ReasonField value={code} onChange={(chosen) => draft.set('code', chosen)} />
    </ConfirmDialog>
  )
}
