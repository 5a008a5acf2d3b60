import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'

/** Why a proposal could not be applied, in a sentence. */
export function useFailureText(): (proposal: Pick<ProposalItem, 'error_code'>) => string {
  const t = useTranslations('proposals')
  return ({ error_code }) => (error_code ? t(`applyErrors.${error_code}`) : t('failedWith'))
}
