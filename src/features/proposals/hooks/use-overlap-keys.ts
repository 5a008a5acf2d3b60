'use client'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { TAKE_KEYS, type Take } from '../components/overlap-choice.tsx'
import type { MergeDecisions, OpenOverlap } from './use-merge-decisions.ts'

/** The overlap that the keys belong to: `n` and `p` walk, a decision goes on to the next one that is open. `show` brings them on screen. */
export function useOverlapKeys(decisions: MergeDecisions, show: () => void) {
  const t = useTranslations('proposals')
  const { overlaps, decisionOf, decide } = decisions
  const [asked, setAt] = useState(1)
  const existing = (n: number) => Math.min(Math.max(n, 1), Math.max(overlaps.length, 1))
  // There may be fewer by now.
  const at = existing(asked)
  const focus = useFocus()
  const go = (n: number) => {
    show()
    setAt(existing(n))
    focus(existing(n), 'fieldset')
  }
  const take = (open: OpenOverlap, one: Take) => {
    show()
    const before = decisionOf(open)
    if (one === 'text') {
      setAt(open.n)
      if (before?.take !== 'text') decide(open, { take: 'text', text: open.overlap.current })
      focus(open.n, 'textarea')
      return
    }
    decide(open, { take: one })
    const next = nextOpen(overlaps, decisionOf, open)
    setAt(next?.n ?? open.n)
    focus(next?.n ?? open.n, 'fieldset')
  }
  const here = overlaps.find(({ n }) => n === at)
  const act = (one: Take) => ({
    id: `proposals.take.${one}`,
    label: t(`take.${one}`),
    keys: TAKE_KEYS[one],
    group: t('resolveTitle'),
    run: () => here && take(here, one),
  })
  const walk = { group: t('resolveTitle'), palette: false } as const
  const any = overlaps.length > 0
  useAction(any ? act('current') : null)
  useAction(any ? act('proposed') : null)
  useAction(any ? act('both') : null)
  useAction(any ? act('text') : null)
  useAction(
    any
      ? { ...walk, id: 'proposals.overlap.next', label: t('nextOverlap'), keys: 'n', run: () => go(at + 1) }
      : null,
  )
  useAction(
    any
      ? {
          ...walk,
          id: 'proposals.overlap.previous',
          label: t('previousOverlap'),
          keys: 'p',
          run: () => go(at - 1),
        }
      : null,
  )
  return { at, take }
}

/** The next one that is open, after this one first; null when this was the last. */
function nextOpen(
  overlaps: readonly OpenOverlap[],
  decisionOf: MergeDecisions['decisionOf'],
  from: OpenOverlap,
): OpenOverlap | null {
  const open = overlaps.filter((one) => one.key !== from.key && decisionOf(one) === null)
  return open.find(({ n }) => n > from.n) ?? open[0] ?? null
}

/** Moves the focus to an overlap, or the text in it, once that is on screen. */
function useFocus() {
  const [wanted, setWanted] = useState<{ n: number; selector: string } | null>(null)
  const done = useRef(wanted)
  useEffect(() => {
    if (!wanted || done.current === wanted) return
    done.current = wanted
    const overlap = document.querySelector<HTMLElement>(`[data-overlap="${wanted.n}"]`)
    const target = wanted.selector === 'textarea' ? overlap?.querySelector('textarea') : overlap
    target?.focus()
  })
  return (n: number, selector: 'fieldset' | 'textarea') => setWanted({ n, selector })
}
