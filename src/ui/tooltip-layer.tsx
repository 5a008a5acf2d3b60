'use client'
import { useEffect, useRef } from 'react'

const DELAY_MS = 350
const GAP = 6

/**
 * One layer for every tip of the page: an element with `data-tip="text"` shows it on hover and on keyboard focus. A tip only
 * repeats or refines what is on the page or in the accessible name; nothing important lives in it.
 */
export function TooltipLayer() {
  const layer = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tip = layer.current
    if (!tip) return
    let timer: ReturnType<typeof setTimeout>
    const hide = () => {
      clearTimeout(timer)
      if (tip.matches(':popover-open')) tip.hidePopover()
    }
    const plan = (event: Event, wait: number) => {
      const owner = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null
      hide()
      if (owner?.dataset.tip) timer = setTimeout(() => show(tip, owner), wait)
    }
    const onOver = (event: Event) => plan(event, DELAY_MS)
    const onFocus = (event: Event) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) plan(event, 0)
    }
    const events: [string, (e: Event) => void][] = [
      ['pointerover', onOver],
      ['focusin', onFocus],
      ['focusout', hide],
      ['pointerdown', hide],
      ['keydown', hide],
      ['scroll', hide],
    ]
    for (const [name, on] of events) document.addEventListener(name, on, { capture: true, passive: true })
    return () => {
      hide()
      for (const [name, on] of events) document.removeEventListener(name, on, { capture: true })
    }
  }, [])
  return (
    <div
      ref={layer}
      popover="manual"
      role="tooltip"
      className="pointer-events-none fixed max-w-xs overflow-visible rounded border-0 bg-ink px-2 py-1 text-sm text-canvas break-words shadow-float"
    />
  )
}

/** Above its owner where there is room, below otherwise, never outside the window. */
function show(tip: HTMLElement, owner: HTMLElement): void {
  if (!owner.isConnected || !owner.dataset.tip) return
  tip.textContent = owner.dataset.tip
  // A modal dialog covers the page: the tip must be in its top layer, above it, which the latest popover is.
  tip.showPopover()
  const at = owner.getBoundingClientRect()
  const own = tip.getBoundingClientRect()
  const above = at.top - own.height - GAP
  const left = Math.min(
    Math.max(at.left + at.width / 2 - own.width / 2, GAP),
    window.innerWidth - own.width - GAP,
  )
  tip.style.left = `${left}px`
  tip.style.top = `${above > GAP ? above : at.bottom + GAP}px`
}
