'use client'
import { type ReactNode, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { currentToasts, dismiss, subscribeToasts, type Toast, type Tone } from '#lib/toasts.ts'
import { Button, IconButton } from './button.tsx'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { Id } from './id.tsx'
import { Link } from './link.tsx'
import { TONE_ICON, TONE_TEXT } from './tone.ts'

const NONE: readonly Toast[] = []

/** The toasts, and `children` below them; announced politely, failures at once. Once per page, in the shell. */
export function Toaster({ children }: { children?: ReactNode }) {
  const toasts = useSyncExternalStore(subscribeToasts, currentToasts, () => NONE)
  return (
    <section
      aria-live="polite"
      aria-relevant="additions"
      className="pointer-events-none fixed inset-x-3 bottom-[calc(var(--edge-bar)+0.75rem)] z-50 grid grid-cols-1 justify-items-end gap-2 md:bottom-4 md:left-auto md:right-4 md:w-96"
    >
      {toasts.map((t) => (
        <OneToast key={t.id} toast={t} />
      ))}
      {children}
    </section>
  )
}

function OneToast({ toast }: { toast: Toast }) {
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
      <IconButton label={t('close')} className="size-7" onClick={() => dismiss(toast.id)}>
        <Icon name="x" />
      </IconButton>
    </div>
  )
}
