'use client'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

type Props = {
  /** What opened it: the panel stands beside it, and focus returns to it. */
  anchor: HTMLElement
  /** The accessible name of the panel, and its heading. */
  title: string
  onClose: () => void
  children: ReactNode
}

const GAP = 6
/** Lower than this a panel is of no use. */
const LEAST = 160
const FOCUSABLE = 'a[href], button, [tabindex="0"]'

/**
 * A panel beside what opened it; on a phone a sheet at the bottom. The page stays as it is. Escape, a click elsewhere and Tab past its end
 * close it. Mounted only while it is open.
 */
export function Popover({ anchor, title, onClose, children }: Props) {
  const t = useTranslations('ui')
  const panel = useRef<HTMLDivElement>(null)
  const leave = useEffectEvent(onClose)
  useEffect(() => {
    const own = panel.current
    if (!own) return
    own.showPopover()
    const put = () => place(own, anchor)
    put()
    own.focus()
    const elsewhere = ({ target }: Event) => {
      if (target instanceof Node && !own.contains(target) && !anchor.contains(target)) leave()
    }
    // What scrolls inside the panel moves nothing outside.
    const moved = ({ target }: Event) => {
      if (!(target instanceof Node && own.contains(target))) put()
    }
    const sized = new ResizeObserver(put)
    sized.observe(own)
    document.addEventListener('pointerdown', elsewhere, true)
    document.addEventListener('scroll', moved, { capture: true, passive: true })
    window.addEventListener('resize', put)
    return () => {
      sized.disconnect()
      document.removeEventListener('pointerdown', elsewhere, true)
      document.removeEventListener('scroll', moved, { capture: true })
      window.removeEventListener('resize', put)
    }
  }, [anchor])
  const back = () => {
    onClose()
    anchor.focus()
  }
  return (
    <div
      ref={panel}
      popover="manual"
      role="dialog"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => onPanelKey(event, back)}
      className="rise fixed max-h-[70dvh] w-[34rem] max-w-[calc(100vw-0.75rem)] flex-col overflow-hidden rounded border border-line bg-surface p-0 text-base text-ink shadow-float outline-none open:flex max-sm:bottom-0 max-sm:left-0 max-sm:w-full max-sm:max-w-none"
    >
      <div className="flex items-center gap-2 pl-4 pr-1.5 pt-1.5">
        <p className="min-w-0 flex-1 truncate text-sm font-semibold">{title}</p>
        <IconButton label={t('close')} onClick={back}>
          <Icon name="x" />
        </IconButton>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-4 pt-1 max-sm:pb-[calc(1rem+env(safe-area-inset-bottom))]">
        {children}
      </div>
    </div>
  )
}

function onPanelKey(event: KeyboardEvent<HTMLElement>, back: () => void): void {
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)]
  const at = document.activeElement
  const past = event.shiftKey ? at === event.currentTarget || at === stops[0] : at === stops.at(-1)
  if (event.key === 'Escape' || (event.key === 'Tab' && past)) {
    event.preventDefault()
    back()
  }
}

/**
 * Below the anchor where there is room, else on the side that has more of it and no higher than that: what opened the panel stays in sight. A sheet
 * keeps the place that the styles give it.
 */
function place(panel: HTMLElement, anchor: HTMLElement): void {
  const sheet = window.matchMedia('(width < 40rem)').matches
  panel.style.maxHeight = ''
  const at = anchor.getBoundingClientRect()
  const { width, height } = panel.getBoundingClientRect()
  const [above, below] = [at.top - 2 * GAP, window.innerHeight - at.bottom - 2 * GAP]
  const isBelow = height <= below || below >= above
  const high = Math.min(height, Math.max(isBelow ? below : above, LEAST))
  const top = isBelow ? at.bottom + GAP : Math.max(GAP, at.top - GAP - high)
  const left = Math.max(GAP, Math.min(at.left, window.innerWidth - width - GAP))
  panel.style.maxHeight = sheet || high === height ? '' : `${high}px`
  panel.style.top = sheet ? '' : `${top}px`
  panel.style.left = sheet ? '' : `${left}px`
}
