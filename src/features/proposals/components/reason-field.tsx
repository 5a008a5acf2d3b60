'use client'
import { useTranslations } from 'use-intl/react'
import { REASON_CODES, type ReasonCode } from '#domain/proposal/decision.rules.ts'
import { SelectField } from '#ui/fields.tsx'
import { useReasonKeys } from '../hooks/use-reason-keys.ts'

export type ReasonChoice = ReasonCode | ''
type Props = { value: ReasonChoice; onChange: (code: ReasonChoice) => void }

/** Why something is rejected, by list or by a digit before the note. */
export function ReasonField({ value, onChange }: Props) {
  const t = useTranslations('proposals')
  useReasonKeys(onChange)
  return (
    <SelectField
      label={t('reasonCode')}
      hint={<span className="pointer-coarse:hidden">{t('reasonKeys', { count: REASON_CODES.length })}</span>}
      value={value}
      onChange={(chosen) => onChange(chosen as ReasonChoice)}
      options={[
        { value: '', label: '—' },
        ...REASON_CODES.map((c, i) => ({ value: c, label: `${i + 1} · ${t(`reasons.${c}`)}` })),
      ]}
    />
  )
}
