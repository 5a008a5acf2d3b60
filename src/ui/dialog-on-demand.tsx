'use client'
import { type ReactNode, type RefObject, Suspense, useId, useLayoutEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { cx } from './cx.ts'
import { Skeleton } from './skeleton.tsx'

type Props = {
  onClose: () => void
  /** The title of the dialog, where it is known already: it is there at once, and what it asks for follows. */
  title?: ReactNode
  /** What is typed until the dialog is there, for its field to begin with. */
  typed?: RefObject<string>
  children: ReactNode
}

/** A dialog whose code may still be on its way. Until it is there an empty one stands for it: no key pressed meanwhile is one of the page. */
export function DialogOnDemand({ children, ...coming }: Props) {
  return <Suspense fallback={<Coming {...coming} />}>{children}</Suspense>
}

function Coming({ onClose, title, typed }: Omit<Props, 'children'>) {
  const t = useTranslations('ui')
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  // Closed while it is still in the page, it gives the focus back; the dialog that takes its place remembers the same opener.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      {...(title ? { 'aria-labelledby': id } : { 'aria-label': t('loading') })}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className={cx(
        'w-[34rem] max-w-[calc(100vw-1.5rem)] rounded border border-line bg-surface shadow-float',
        // What is hidden takes no focus, so a field is there at once.
        typed ? 'mt-[12dvh] p-0 max-md:mt-2' : 'after-a-moment px-5 py-4',
      )}
    >
      {title ? (
        <h2 id={id} className="mb-4 text-md font-semibold">
          {title}
        </h2>
      ) : null}
      {typed ? <EarlyField typed={typed} /> : <Skeleton lines={5} label={t('loading')} />}
    </dialog>
  )
}

function EarlyField({ typed }: { typed: RefObject<string> }) {
  const t = useTranslations('ui')
  return (
    <>
      <input
        aria-label={t('loading')}
        onChange={(event) => {
          typed.current = event.target.value
        }}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-md outline-none"
      />
      <div className="px-4 py-2">
        <Skeleton lines={5} label={t('loading')} />
      </div>
    </>
  )
}
