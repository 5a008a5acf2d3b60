'use client'
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useReducer, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { openModal } from '#lib/modals.ts'
import { IconButton } from './button.tsx'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'

export type DialogProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** Explains the title in a sentence; read with it. */
  description?: ReactNode
  children: ReactNode
  width?: 'sm' | 'md' | 'lg' | 'xl'
  /** Only content, without head and padding (palette). */
  bare?: boolean
  /** Stands at the left edge, as high as the window: what is a column beside the page where there is room. */
  drawer?: boolean
  /** Text alone, which may be long. */
  scrolls?: boolean
  /** It says itself why it was refused: a toast inside it would say so again. */
  showsFaults?: boolean
}

const WIDTH = { sm: 'w-[26rem]', md: 'w-[34rem]', lg: 'w-[46rem]', xl: 'w-[64rem]' }

/**
 * A modal dialog on the browser's own `<dialog>`: focus stays inside and returns, the page behind is inert, Escape and a click beside it close.
 * It starts at `data-autofocus`, else at its title, never at the closing button. Content is mounted only while it is open.
 */
export function DialogFrame(props: DialogProps) {
  const { open, onClose, title, description, children, width = 'md' } = props
  const { bare = false, drawer = false, scrolls = false, showsFaults = false } = props
  const ref = useRef<HTMLDialogElement>(null)
  const messages = useRef<HTMLElement>(null)
  const isPressedBeside = useRef(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  const t = useTranslations('ui')
  const [, drawAgain] = useReducer((times: number) => times + 1, 0)
  // Before the next key: what is typed while it is drawn belongs to it, not to the page behind. With every drawing: at an Escape after
  // others the browser closes the dialog whatever is answered, and one that is still wanted is shown again.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (open && dialog && !dialog.open) {
      dialog.showModal()
      const start = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? heading.current
      start?.focus()
    }
    if (!open && dialog?.open) dialog.close()
  })
  useLayoutEffect(() => {
    return open && messages.current ? openModal(messages.current, showsFaults) : undefined
  }, [open, showsFaults])
  // Whoever shows a dialog by mounting it closes it by unmounting it: the browser returns the focus only while it is still there to be closed.
  useLayoutEffect(() => {
    const dialog = ref.current
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key that does what a click beside it does.
    <dialog
      ref={ref}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-text` : undefined}
      onCancel={(event) => {
        // React passes on what a dialog within this one was asked. What cannot be prevented is followed by `close`, which asks the owner.
        if (event.target !== event.currentTarget || !event.cancelable) return
        event.preventDefault()
        onClose()
      }}
      onClose={(event) => {
        if (event.target !== event.currentTarget || !open || event.currentTarget.open) return
        onClose()
        drawAgain()
      }}
      onPointerDown={(event) => {
        isPressedBeside.current = isBeside(event)
      }}
      // A press that only ends beside it, as of a selection that went too far, or that only begins there, closes nothing.
      onClick={(event) => isPressedBeside.current && isBeside(event) && onClose()}
      className={cx(
        'rise max-h-[85dvh] max-w-[calc(100vw-1.5rem)] overflow-hidden rounded border border-line bg-surface p-0 text-left shadow-float open:flex open:flex-col',
        bare && 'mt-[12dvh] max-md:mt-2',
        drawer && 'my-0 ml-0 h-dvh max-h-dvh! rounded-l-none',
        WIDTH[width],
      )}
    >
      {open ? (
        <>
          <div className={bare ? 'sr-only' : 'flex items-start gap-3 px-5 pt-4'}>
            <div className="min-w-0 flex-1">
              <h2
                ref={heading}
                id={`${id}-title`}
                tabIndex={-1}
                className="text-md font-semibold outline-none"
              >
                {title}
              </h2>
              {description ? (
                <p id={`${id}-text`} className="mt-1 text-base text-ink-2">
                  {description}
                </p>
              ) : null}
            </div>
            {bare ? null : (
              <IconButton label={t('close')} className="-mr-2" onClick={onClose}>
                <Icon name="x" />
              </IconButton>
            )}
          </div>
          {/* Without a control in it, it is scrolled by keyboard only where it takes the focus itself. */}
          <div
            tabIndex={scrolls ? 0 : undefined}
            className={cx('relative min-h-0 flex-1 overflow-y-auto', bare ? '' : 'px-5 pb-5 pt-3')}
          >
            {children}
          </div>
          <section ref={messages} aria-live="polite" aria-relevant="additions" className="shrink-0" />
        </>
      ) : null}
    </dialog>
  )
}

/** True at the backdrop: it is the dialog's own, outside its box. */
function isBeside({ target, currentTarget, clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return target === currentTarget && (x < left || x > right || y < top || y > bottom)
}
