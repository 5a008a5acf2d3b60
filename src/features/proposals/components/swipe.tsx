'use client'
import { useDrag } from '@use-gesture/react'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { keepIn, readFrom } from '#lib/kept.ts'
import { toast } from '#lib/toasts.ts'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'
import { useApproved } from '../hooks/use-approved.ts'
import { EDGE_PX, type Pull, pullOf, shiftOf, swipeRefusal } from '../swipe.ts'

export type SwipeProps = {
  proposal: ProposalView
  /** What the button does; undefined where there is none. `no`: why it does nothing now. */
  approve: { no: string | undefined; run: () => void } | undefined
  /** Opens the next proposal; undefined at the end of the list. */
  next: (() => void) | undefined
  /** Nothing is swiped, because something is being written or resolved. */
  isOff: boolean
}

/**
 * Right approves, by the very act of the button and with its undo; left goes on to the next. A rejection needs a reason, so no swipe rejects.
 * What moves by itself (up and down, a wide table, a selection of text, the edge of the screen) keeps its own gesture.
 */
export function Swipe({ proposal, approve, next, isOff }: SwipeProps) {
  const anchor = useRef<HTMLSpanElement>(null)
  const card = useRef<HTMLElement | null>(null)
  const [pull, setPull] = useState<Pull | null>(null)
  const refusals = useRefusals({ proposal, approve, next })
  useCard({ anchor, card })
  useHint(refusals.approve === null)
  const act = { approve: () => approve?.run(), next: () => next?.() }
  useDrag(
    ({ first, last, event, movement: [dx], cancel, touches }) => {
      if (first && !isFree(event)) return cancel()
      if (touches > 1) return cancel()
      const now = pullOf(dx)
      const no = now && refusals[now.to]
      const isOver = last || event.type === 'touchcancel'
      move(card.current, isOver ? 0 : shiftOf(dx, no === null))
      setPull((was) => (isOver ? null : isSame(was, now) ? was : now))
      if (!isOver || !now?.far || event.type === 'touchcancel') return
      if (no) toast({ tone: 'held', text: no })
      else act[now.to]()
    },
    {
      target: card as RefObject<HTMLElement>,
      enabled: !isOff,
      axis: 'x',
      threshold: SLOP_PX,
      // Touches alone: a mouse beside the screen clicks as ever.
      pointer: { touch: true },
      eventOptions: { passive: true },
    },
  )
  return (
    <>
      <span ref={anchor} hidden />
      {pull ? <PullMark pull={pull} no={refusals[pull.to]} /> : null}
    </>
  )
}

/** A finger that only rests moves so far. */
const SLOP_PX = 8

const isSame = (a: Pull | null, b: Pull | null) => a?.to === b?.to && a?.far === b?.far

/** Why a swipe to either side does nothing; null where it does. */
function useRefusals({ proposal, approve, next }: Omit<SwipeProps, 'isOff'>) {
  const t = useTranslations('proposals')
  const held = useApproved()
  const refusal = swipeRefusal(proposal, { offered: approve !== undefined, held })
  return {
    approve: approve?.no ?? (refusal ? t(`swipeNo.${refusal}`) : null),
    next: next ? null : t('lastOfList'),
  }
}

/** The review that is drawn to the side. The browser keeps the way up and down, and two fingers. */
function useCard({
  anchor,
  card,
}: {
  anchor: RefObject<HTMLElement | null>
  card: RefObject<HTMLElement | null>
}) {
  useLayoutEffect(() => {
    const review = anchor.current?.closest<HTMLElement>('[data-review]') ?? null
    card.current = review
    if (!review) return
    review.style.touchAction = 'pan-y pinch-zoom'
    return () => {
      review.style.touchAction = ''
      move(review, 0)
    }
  }, [anchor, card])
}

const OWN_GESTURE = 'input, textarea, select, dialog, [popover], [contenteditable=true], [data-commands]'

/** Whether a touch belongs to nothing else: no field, no selected text, nothing that scrolls sideways, not the edge of the screen. */
function isFree(event: Event): boolean {
  const { target } = event
  if (!(target instanceof Element) || target.closest(OWN_GESTURE)) return false
  if (window.getSelection()?.isCollapsed === false) return false
  const x = event instanceof TouchEvent ? (event.changedTouches[0]?.clientX ?? 0) : 0
  if (x < EDGE_PX || x > window.innerWidth - EDGE_PX) return false
  const inside = target.closest('[data-review]')
  for (let at: Element | null = target; at && at !== inside; at = at.parentElement)
    if (at.scrollWidth > at.clientWidth && /auto|scroll/.test(getComputedStyle(at).overflowX)) return false
  return true
}

/** Moves what the card shows; its acts stay at the edge of the screen, which is why the card itself is not moved. */
function move(card: HTMLElement | null, shift: number): void {
  if (!card || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return
  for (const part of card.querySelectorAll<HTMLElement>(PARTS)) {
    part.style.transition = shift === 0 ? 'translate 150ms' : 'none'
    part.style.translate = shift === 0 ? '' : `${Math.round(shift)}px`
  }
}
const PARTS = ':scope > :not(header), :scope > header > :not([data-commands])'

/** What letting go would do now. Seen by whoever swipes; the others have the buttons. */
function PullMark({ pull, no }: { pull: Pull; no: string | null }) {
  const t = useTranslations('proposals')
  const icon = no ? 'ban' : pull.to === 'approve' ? 'check' : 'arrow-right'
  const words = { approve: t('swipeApprove'), next: t('swipeNext') }
  return (
    <p
      aria-hidden
      data-pull={no ? 'refused' : pull.to}
      className={cx(
        'pointer-events-none fixed inset-x-4 bottom-[calc(var(--edge-bar)+1rem)] z-20 mx-auto flex w-fit items-center gap-2 rounded px-4 py-2 shadow-float',
        no ? 'bg-waiting-soft text-waiting' : 'bg-accent text-on-accent',
        pull.far ? 'font-medium' : 'opacity-70',
      )}
    >
      <Icon name={icon} className="size-4 shrink-0" />
      {no ?? words[pull.to]}
    </p>
  )
}

const HINT = 'proposals.swipe.hint'

/** Says once in this browser that there are swipes, over a card that has them. */
function useHint(canApprove: boolean): void {
  const t = useTranslations('proposals')
  const text = t('swipeHint')
  useEffect(() => {
    if (!canApprove || readFrom('local', HINT)) return
    keepIn('local', HINT, true)
    toast({ tone: 'held', text, ms: 8_000 })
  }, [canApprove, text])
}
