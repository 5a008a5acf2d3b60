'use client'
import { useEffect } from 'react'
import { PRODUCT } from './product.ts'

/** The name that stands now: of two that are mounted, the later one. */
let current: string | null = null

/**
 * Names the tab after the object that is shown, for as long as it is, so that tabs and the browser's history can be told apart. The framework
 * sets the title of the page when that part of its answer has come, which may be after this.
 */
export function DocumentTitle({ name }: { name: string }) {
  useEffect(() => {
    const own = `${name} · ${PRODUCT}`
    let before = document.title
    const set = () => {
      if (document.title === own || current !== own) return
      before = document.title
      document.title = own
    }
    current = own
    set()
    const watcher = new MutationObserver(set)
    watcher.observe(document.head, { childList: true, characterData: true, subtree: true })
    return () => {
      watcher.disconnect()
      if (current === own) current = null
      // Another page that has named the tab meanwhile keeps its name.
      if (document.title === own) document.title = before
    }
  }, [name])
  return null
}
