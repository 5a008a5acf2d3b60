'use client'
import { type RefObject, useLayoutEffect, useRef } from 'react'

type Panes = { root: RefObject<HTMLElement | null>; openKey: string | null }

/**
 * List and detail of one address share a scrolling on a phone: what is opened starts at its top, one after the other, and the list comes back
 * where it was left. `openKey` names what is open; null is the list.
 */
export function useSharedScroll({ root, openKey }: Panes): void {
  const left = useRef(0)
  const was = useRef(openKey)
  // Gone before the list is hidden, which scrolls what is left to the top.
  useLayoutEffect(() => {
    if (openKey !== null) return
    const note = () => {
      left.current = Math.max(...outer(root.current).map((e) => e.scrollTop))
    }
    document.addEventListener('scroll', note, { capture: true, passive: true })
    return () => document.removeEventListener('scroll', note, { capture: true })
  }, [root, openKey])
  useLayoutEffect(() => {
    if (was.current === openKey) return
    was.current = openKey
    for (const box of outer(root.current)) box.scrollTop = openKey === null ? left.current : 0
    if (openKey !== null) root.current?.querySelector(':scope > section')?.scrollTo(0, 0)
  }, [root, openKey])
}

/** What scrolls around both panes: the document on a phone, the content where the navigation stands beside it. */
const outer = (root: HTMLElement | null): Element[] =>
  [document.scrollingElement, root?.closest('main')].filter((e) => e instanceof Element)
