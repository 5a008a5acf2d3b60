'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { type Fault, toFault } from '#lib/fault.ts'
import { useDraft } from '#lib/use-draft.ts'
import { faultDetail, useFaultText, useFieldText } from '#lib/use-fault-text.ts'
import { Button } from './button.tsx'
import { DialogFrame } from './dialog-frame.tsx'
import { DraftNote } from './draft-note.tsx'
import { TextArea } from './fields.tsx'
import { Form } from './form.tsx'

export type ReasonRule = {
  label?: ReactNode
  /** Least characters after trimming (0: may stay empty). */
  min: number
  max?: number
  placeholder?: string
}

export type ConfirmProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  /** What will happen, in detail: the affected set, the numbers. */
  children?: ReactNode
  confirmLabel: ReactNode
  /** The label of the button that closes the dialog, where plain "Cancel" would be ambiguous. */
  dismissLabel?: ReactNode
  tone?: 'primary' | 'danger'
  width?: 'md' | 'lg' | 'xl'
  reason?: ReasonRule
  /** The address of what it asks about, where one page has several of these: the draft of the reason is kept for that. */
  page?: string
  /** Why it cannot be confirmed yet (a count to type, an empty set). */
  disabledReason?: string | undefined
  /** Runs on confirmation; when it rejects, the dialog stays open with its input and shows the error. */
  onConfirm: (reason: string) => Promise<unknown>
}

/** Asks before something happens, with a reason where one is kept. Ctrl/Cmd-Enter confirms; until the answer is there it stays. */
export function ConfirmDialog({ open, onClose, width = 'md', ...rest }: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  // What is on its way cannot be called back, so closing the dialog must not look as if it were.
  const close = () => {
    if (!busy) onClose()
  }
  const done = () => {
    setBusy(false)
    onClose()
  }
  return (
    <DialogFrame
      open={open}
      onClose={close}
      title={rest.title}
      description={rest.description}
      width={width}
      showsFaults
    >
      <ConfirmBody {...rest} busy={busy} setBusy={setBusy} onClose={close} onDone={done} />
    </DialogFrame>
  )
}

type BodyProps = Omit<ConfirmProps, 'open' | 'width'> & {
  busy: boolean
  setBusy: (busy: boolean) => void
  onDone: () => void
}

function ConfirmBody({
  title,
  onClose,
  children,
  confirmLabel,
  dismissLabel,
  tone = 'primary',
  reason,
  page,
  disabledReason,
  onConfirm,
  busy,
  setBusy,
  onDone,
}: BodyProps) {
  const t = useTranslations('ui')
  const text = useFaultText()
  const fieldText = useFieldText()
  const draft = useDraft(`reason:${typeof title === 'string' ? title : ''}`, { written: '' }, page)
  const { written } = draft.values
  const [fault, setFault] = useState<Fault | null>(null)
  const trimmed = written.trim()
  // Where nothing is to be written, Enter confirms what is harmless and leaves what is not.
  const start = reason ? 'reason' : tone === 'danger' ? 'cancel' : 'confirm'
  const missing = reason ? Math.max(0, reason.min - [...trimmed].length) : 0
  const confirm = () => {
    if (busy || missing > 0 || disabledReason) return
    setBusy(true)
    setFault(null)
    const done = () => {
      draft.clear()
      onDone()
    }
    onConfirm(trimmed).then(done, (error: unknown) => {
      setFault(toFault(error))
      setBusy(false)
    })
  }
  return (
    <Form onSubmit={confirm}>
      {children}
      <DraftNote draft={draft} />
      {reason ? (
        <TextArea
          label={reason.label ?? t('reason')}
          value={written}
          onChange={(text) => draft.set('written', text)}
          rows={3}
          autoFocus
          maxLength={reason.max ?? 2_000}
          {...(reason.placeholder ? { placeholder: reason.placeholder } : {})}
          hint={
            missing > 0
              ? t('reasonLeast', { min: reason.min, left: missing })
              : t('reasonEnough', { count: [...trimmed].length, max: reason.max ?? 2_000 })
          }
        />
      ) : null}
      {fault ? (
        <div role="alert" className="mt-3 text-failed">
          <p>{fault.fields[0]?.reason ? fieldText(fault.fields[0]) : text(fault)}</p>
          {faultDetail(fault) ? <p className="text-sm">{faultDetail(fault)}</p> : null}
        </div>
      ) : null}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose} data-autofocus={start === 'cancel' || undefined}>
          {dismissLabel ?? t('cancel')}
        </Button>
        <Button
          kind={tone}
          type="submit"
          busy={busy}
          disabled={missing > 0}
          disabledReason={disabledReason}
          data-autofocus={start === 'confirm' || undefined}
        >
          {confirmLabel}
        </Button>
      </div>
    </Form>
  )
}
