'use client'
import { useTranslations } from 'use-intl/react'
import { REASON_CODES, REASON_LENGTH } from '#domain/proposal/decision.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { SelectField, TextField } from '#ui/fields.tsx'
import type { Edits } from '../hooks/use-edits.ts'

type Props = {
  edits: Edits
  approve: () => void
  busy: boolean
  /** Milliseconds for which it is still to be looked at. */
  dwell: number
  /** Off while letters are meant for something else. */
  hasKey: boolean
}

/** Says what would be approved of the proposal, and what becomes of the rest; there as soon as something was left out or edited. */
export function EditBar({ edits, approve, busy, dwell, hasKey }: Props) {
  const t = useTranslations('proposals')
  const denied = useRight('proposal.decide')
  const short = useShortNote(edits.values.note)
  const seconds = Math.ceil(dwell / 1_000)
  const lost = edits.isLost ? t('editLost') : undefined
  const no =
    denied ??
    lost ??
    (edits.isEmpty ? t('editNothing') : short) ??
    (seconds > 0 ? t('dwell', { seconds }) : undefined)
  const keys = hasKey ? { keys: 'a' } : {}
  useAction({
    id: 'proposals.approve',
    label: t('approveEdited'),
    ...keys,
    group: t('title'),
    run: approve,
    disabledReason: no,
  })
  return (
    <section
      aria-label={t('approveEdited')}
      className="mt-4 rounded border border-line bg-accent-soft px-4 py-3 md:sticky md:top-0 md:z-10"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="min-w-0 flex-1 basis-60 font-medium">
          {lost ?? t('editSummary', edits.counts)}
        </p>
        <Button kind="quiet" onClick={edits.startOver}>
          {t('startOver')}
        </Button>
        <Button kind="primary" {...keys} onClick={approve} busy={busy} disabledReason={no}>
          {t('approveEdited')}
        </Button>
      </div>
      {edits.hasRest && !lost ? <Rest edits={edits} short={short} /> : null}
    </section>
  )
}

/** What becomes of the changes that are left out: an agent hears of those that are rejected. */
function Rest({ edits, short }: { edits: Edits; short: string | undefined }) {
  const t = useTranslations('proposals')
  const { values, setValue } = edits
  return (
    <div className="mt-3 grid gap-x-4 gap-y-2 sm:grid-cols-3 [&>*]:mt-0">
      <SelectField
        label={t('rest')}
        value={values.remainder}
        onChange={(value) => setValue('remainder', value)}
        options={(['reject', 'propose'] as const).map((value) => ({ value, label: t(`restAs.${value}`) }))}
      />
      {values.remainder === 'propose' ? null : (
        <SelectField
          label={t('reasonCode')}
          value={values.reason}
          onChange={(value) => setValue('reason', value)}
          options={[
            { value: '', label: '—' },
            ...REASON_CODES.map((code) => ({ value: code, label: t(`reasons.${code}`) })),
          ]}
        />
      )}
      <TextField
        label={t('restNote')}
        value={values.note}
        maxLength={REASON_LENGTH.max}
        onChange={(value) => setValue('note', value)}
        error={short}
      />
    </div>
  )
}

/** What is missing of the note, which may also be left out. */
function useShortNote(note: string): string | undefined {
  const t = useTranslations('ui')
  const { min } = REASON_LENGTH
  const { length } = note.trim()
  return length > 0 && length < min ? t('reasonLeast', { min, left: min - length }) : undefined
}
