'use client'
import { type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { Skeleton } from './skeleton.tsx'

type Props = { onClose: () => void; children: ReactNode }

/** A dialog whose code is loaded when it is first asked for. Until it is there an empty one stands for it: no key pressed meanwhile is one of the page. */
export function DialogOnDemand({ onClose, children }: Props) {
  return <Suspense fallback={<Coming onClose={onClose} />}>{children}</Suspense>
}

function Coming({ onClose }: Pick<Props, 'onClose'>) {
  const t = useTranslations('ui')
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => ref.current?.showModal(), [])
  // Closed while it is still in the page, it gives the focus back; the dialog that takes its place remembers the same opener.
  useLayoutEffect(() => {
    const dialog = ref.current
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-label={t('loading')}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className="after-a-moment w-[34rem] max-w-[calc(100vw-1.5rem)] rounded border border-line bg-surface px-5 py-4 shadow-float"
    >
      <Skeleton lines={5} label={t('loading')} />
    </dialog>
  )
}
