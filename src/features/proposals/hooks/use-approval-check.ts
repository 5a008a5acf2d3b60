'use client'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { useNow } from '#lib/clock.tsx'
import { toast } from '#lib/toasts.ts'
import type { ShownFiles } from './use-shown.ts'

/** High risk is looked at for this long before it can be approved. */
const DWELL_MS = 2_000

/** Milliseconds that are left before a proposal of high risk can be approved; counted from when its review is on screen. */
export function useDwell({ risk, status }: { risk: { level: string } | null; status: string }): number {
  const [since, setSince] = useState(() => Date.now())
  const dwells = risk?.level === 'high' && status === 'PENDING'
  const [over, setOver] = useState(false)
  useEffect(() => {
    setSince(Date.now())
    const timer = setTimeout(() => setOver(true), DWELL_MS)
    return () => clearTimeout(timer)
  }, [])
  const left = DWELL_MS - (useNow(1_000) - since)
  return dwells && !over ? Math.min(DWELL_MS, Math.max(1, left)) : 0
}

const hunksOf = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>('[data-diff] [data-hunk]')]
const shownOf = (node: Element) => node.closest<HTMLElement>('[data-shown]')?.dataset.shown
/** The hunks of what changed since the review are others than those of the whole. */
const nameOf = (hunk: HTMLElement) =>
  `${shownOf(hunk)}\n${hunk.closest<HTMLElement>('[data-diff]')?.dataset.diff}\n${hunk.dataset.hunk}`

/** The review of this proposal in the page; the next one may be drawn behind it. */
const reviewOf = ({ proposal_id }: ProposalView) =>
  document.querySelector(`[data-review="${CSS.escape(proposal_id)}"]`)

/** What of the proposal is on screen, and how many changes the whole has. */
type View = Pick<ShownFiles, 'shown' | 'show'> & { total: number }

/**
 * Nothing is approved that was not on screen: a diff that is not drawn cannot be, and the first `a` over hunks that were not seen says how
 * many and leads to the first of them. `ready` is asked when `a` is pressed; true lets it approve.
 */
export function useApprovalCheck(proposal: ProposalView, view: View): { ready: () => boolean } {
  const t = useTranslations('proposals')
  const looked = useLooked(proposal)
  const wholeSeen = useWholeCheck(proposal, view)
  const ready = () => {
    const root = reviewOf(proposal)
    if (!root || !isDrawn(root, proposal)) {
      toast({ tone: 'held', text: t('notDrawn') })
      return false
    }
    const hunks = hunksOf(root)
    for (const hunk of hunks) if (isOnScreen(hunk)) looked.current.seen.add(nameOf(hunk))
    if (view.shown === 'since') return wholeSeen(looked.current)
    const unseen = hunks.filter((hunk) => !looked.current.seen.has(nameOf(hunk)))
    if (unseen.length === 0 || looked.current.isWarned) return true
    looked.current.isWarned = true
    unseen[0]?.scrollIntoView({ block: 'center' })
    toast({ tone: 'waiting', text: t('unseenHunks', { unseen: unseen.length, total: hunks.length }) })
    return false
  }
  return { ready }
}

/**
 * What changed since the review is a part of what is approved: the first `a` over it says so, unless the whole was seen. Over a file that has
 * changed it is not even that, so the whole takes its place.
 */
function useWholeCheck({ freshness }: ProposalView, { show, total }: View): (looked: Looked) => boolean {
  const t = useTranslations('proposals')
  return (looked) => {
    if (freshness && freshness.state !== 'clean') {
      show('whole')
      toast({ tone: 'waiting', text: t('wholeShown') })
      return false
    }
    const isSeen = looked.whole?.every((name) => looked.seen.has(name))
    if (isSeen || looked.isWarnedOfWhole) return true
    looked.isWarnedOfWhole = true
    toast({ tone: 'waiting', text: t('wholeUnseen', { total }) })
    return false
  }
}

const isDrawn = (root: ParentNode, { changes }: ProposalView): boolean =>
  root.querySelectorAll('[data-diff]').length >= changes.length

/** What is looked at: the review with the files as they are. What was seen of another is not seen of this one. */
const contentOf = ({ review_digest, changes }: ProposalView): string =>
  [review_digest, ...changes.map((change) => change.current_hash)].join(' ')

type Looked = {
  seen: Set<string>
  isWarned: boolean
  isWarnedOfWhole: boolean
  /** The hunks of the whole, once it was drawn. */
  whole: readonly string[] | null
}
const nothingSeen = (): Looked => ({
  seen: new Set(),
  isWarned: false,
  isWarnedOfWhole: false,
  whole: null,
})

/** Notes every hunk of this content that comes on screen, also of diffs that are drawn later. */
function useLooked(proposal: ProposalView): { readonly current: Looked } {
  const looked = useRef<Looked>(nothingSeen())
  const content = contentOf(proposal)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other content is looked at anew
  useEffect(() => {
    const now = nothingSeen()
    looked.current = now
    const root = reviewOf(proposal)
    if (!root) return
    const onScreen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) now.seen.add(nameOf(target as HTMLElement))
    })
    const watch = () => {
      const hunks = hunksOf(root)
      for (const hunk of hunks) onScreen.observe(hunk)
      if (root.querySelector('[data-shown=whole]') && isDrawn(root, proposal)) now.whole = hunks.map(nameOf)
    }
    const drawn = new MutationObserver(watch)
    drawn.observe(root, { childList: true, subtree: true })
    watch()
    return () => {
      drawn.disconnect()
      onScreen.disconnect()
    }
  }, [content])
  return looked
}

/** As the observer would say, which tells it a frame later. */
function isOnScreen(hunk: HTMLElement): boolean {
  const { top, bottom } = hunk.getBoundingClientRect()
  const pane = hunk.closest('section[aria-label]:not([data-diff])')?.getBoundingClientRect()
  return bottom > Math.max(0, pane?.top ?? 0) && top < Math.min(window.innerHeight, pane?.bottom ?? Infinity)
}
