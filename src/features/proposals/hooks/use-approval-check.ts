'use client'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { useNow } from '#lib/clock.tsx'
import { toast } from '#lib/toasts.ts'

/** High risk is looked at for this long before it can be approved. */
const DWELL_MS = 2_000

/** Milliseconds that are left before a proposal of high risk can be approved; counted from when its review is on screen. */
export function useDwell({ risk, status }: { risk: { level: string } | null; status: string }): number {
  const [since] = useState(() => Date.now())
  const dwells = risk?.level === 'high' && status === 'PENDING'
  const [over, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), DWELL_MS)
    return () => clearTimeout(timer)
  }, [])
  const left = DWELL_MS - (useNow(1_000) - since)
  return dwells && !over ? Math.min(DWELL_MS, Math.max(1, left)) : 0
}

const hunksOf = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>('[data-diff] [data-hunk]')]
const nameOf = (hunk: HTMLElement) =>
  `${hunk.closest<HTMLElement>('[data-diff]')?.dataset.diff}\n${hunk.dataset.hunk}`

/**
 * Nothing is approved that was not on screen: a diff that is not drawn cannot be, and the first `a` over hunks that were not seen says how
 * many and leads to the first of them. `ready` is asked when `a` is pressed; true lets it approve.
 */
export function useApprovalCheck(proposal: ProposalView): { ready: () => boolean } {
  const t = useTranslations('proposals')
  const looked = useLooked(contentOf(proposal))
  const ready = () => {
    const root = document.querySelector('[data-review]')
    const drawn = root?.querySelectorAll('[data-diff]').length ?? 0
    if (!root || drawn < proposal.changes.length) {
      toast({ tone: 'held', text: t('notDrawn') })
      return false
    }
    const hunks = hunksOf(root)
    for (const hunk of hunks) if (isOnScreen(hunk)) looked.current.seen.add(nameOf(hunk))
    const unseen = hunks.filter((hunk) => !looked.current.seen.has(nameOf(hunk)))
    if (unseen.length === 0 || looked.current.isWarned) return true
    looked.current.isWarned = true
    unseen[0]?.scrollIntoView({ block: 'center' })
    toast({ tone: 'waiting', text: t('unseenHunks', { unseen: unseen.length, total: hunks.length }) })
    return false
  }
  return { ready }
}

/** What is looked at: the review with the files as they are. What was seen of another is not seen of this one. */
const contentOf = ({ review_digest, changes }: ProposalView): string =>
  [review_digest, ...changes.map((change) => change.current_hash)].join(' ')

type Looked = { seen: Set<string>; isWarned: boolean }

/** Notes every hunk of this content that comes on screen, also of diffs that are drawn later. */
function useLooked(content: string): { readonly current: Looked } {
  const looked = useRef<Looked>({ seen: new Set(), isWarned: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: other content is looked at anew
  useEffect(() => {
    const seen = new Set<string>()
    looked.current = { seen, isWarned: false }
    const root = document.querySelector('[data-review]')
    if (!root) return
    const onScreen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) seen.add(nameOf(target as HTMLElement))
    })
    const watch = () => {
      for (const hunk of hunksOf(root)) onScreen.observe(hunk)
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
