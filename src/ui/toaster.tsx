'use client'
import { type ReactNode, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { type Modal, useModals } from '#lib/modals.ts'
import { currentToasts, dismiss, subscribeToasts, type Toast, type Tone } from '#lib/toasts.ts'
import { Button, IconButton } from './button.tsx'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { Id } from './id.tsx'
import { Link } from './link.tsx'
import { TONE_ICON, TONE_TEXT } from './tone.ts'

const NONE: readonly Toast[] = []

const EDGE =
  'pointer-events-none fixed inset-x-3 bottom-[calc(var(--edge-bar)+0.75rem)] z-50 grid grid-cols-1 justify-items-end gap-2 md:bottom-4 md:left-auto md:right-4 md:w-96'

/**
 * The toasts, and `children` below them; announced politely, failures at once. Once per page, in the shell. What comes while a modal dialog is
 * open is shown inside it, since the page behind it is inert, and on the page once the dialog has closed.
 */
export function Toaster({ children }: { children?: ReactNode }) {
  const toasts = useSyncExternalStore(subscribeToasts, currentToasts, () => NONE)
  const modals = useModals()
  const t = useTranslations('ui')
  const within = (modal: Modal | undefined) => toasts.filter((toast) => modalOf(toast, modals) === modal)
  return (
    <>
      <section aria-live="polite" aria-relevant="additions" className={EDGE}>
        <Toasts of={within(undefined)} close={t('close')} />
        {children}
      </section>
      {modals.map((modal) =>
        createPortal(<InDialog toasts={within(modal)} />, modal.messages, String(modal.id)),
      )}
    </>
  )
}

/** The topmost dialog that shows the message; none for one that is older than all of them. */
const modalOf = ({ id, tone }: Toast, modals: readonly Modal[]): Modal | undefined =>
  modals.findLast(({ since, showsFaults }) => id >= since && !(showsFaults && tone === 'failed'))

type ListProps = { of: readonly Toast[]; close: string }

const Toasts = ({ of, close }: ListProps) => of.map((t) => <OneToast key={t.id} toast={t} close={close} />)

/**
 * A failure stays until it is closed, so it takes room in the dialog and covers no button; what goes by itself moves nothing. The dialog has a button
 * of its own that closes it: theirs has another name.
 */
function InDialog({ toasts }: { toasts: readonly Toast[] }) {
  const t = useTranslations('ui')
  const failed = toasts.filter(({ tone }) => tone === 'failed')
  return (
    <>
      <div className={EDGE}>
        <Toasts of={toasts.filter((one) => !failed.includes(one))} close={t('closeMessage')} />
      </div>
      {failed.length > 0 ? (
        <div className="grid max-h-[35dvh] gap-2 overflow-y-auto px-5 pb-4">
          <Toasts of={failed} close={t('closeMessage')} />
        </div>
      ) : null}
    </>
  )
}

function OneToast({ toast, close }: { toast: Toast; close: string }) {
  const t = useTranslations('ui')
  const icon = TONE_ICON[toast.tone as Tone]
  const { action } = toast
  const act = () => {
    dismiss(toast.id)
    action?.run()
  }
  useAction(
    action?.keys
      ? {
          id: `toast.${toast.id}`,
          label: action.label,
          keys: action.keys,
          group: t('notification'),
          run: act,
        }
      : null,
  )
  return (
    <div
      role={toast.tone === 'failed' ? 'alert' : undefined}
      className="rise pointer-events-auto flex w-full items-start gap-2.5 rounded border border-line bg-surface py-2 pl-3 pr-1.5 shadow-float"
    >
      <Icon name={icon} className={cx('mt-[3px] size-4 shrink-0', TONE_TEXT[toast.tone])} />
      <div className="min-w-0 flex-1 self-center">
        <p className="text-base text-ink">{toast.text}</p>
        {toast.detail ? <p className="text-sm text-ink-2">{toast.detail}</p> : null}
        {toast.correlationId ? <Id value={toast.correlationId} /> : null}
        {toast.link ? <Link href={toast.link.href}>{toast.link.label}</Link> : null}
      </div>
      {action ? (
        <Button size="sm" {...(action.keys ? { keys: action.keys } : {})} onClick={act}>
          {action.label}
        </Button>
      ) : null}
      <IconButton label={close} className="size-7" onClick={() => dismiss(toast.id)}>
        <Icon name="x" />
      </IconButton>
    </div>
  )
}
