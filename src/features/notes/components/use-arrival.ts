import { type RefObject, useEffect } from 'react'
import { type Arrival, rangesOf } from '../arrival.ts'

/** The name that `prose.css` gives a look. */
const HIGHLIGHT = 'found'

export type Way = {
  /** The text is somewhere below it, and may come after the page. */
  root: RefObject<HTMLElement | null>
  /** What is drawn there; another is marked anew. */
  tree: unknown
  /** Where the reader was taken last. It outlives the text, so that a look at another tab takes nobody there again. */
  arrived: RefObject<string>
}

/**
 * Goes to a place of the text once it is there, gives it the focus and marks the words; without a place, to the heading that the address
 * names.
 */
export function useArrival({ root, tree, arrived }: Way, place: Arrival | null): void {
  const { line, words } = place ?? { line: 0, words: [] }
  const wanted = words.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tree is another text
  useEffect(() => {
    const text = root.current
    if (!text) return
    const arrive = () => {
      if (!text.querySelector('.prose')) return false
      const heading = headingOf(window.location.hash)
      const way = `${window.location.pathname} ${line} ${wanted} ${heading}`
      if (way !== arrived.current) {
        if (line > 0) goTo(blockAt(text, line), true)
        else if (heading) goTo(document.getElementById(heading), false)
      }
      arrived.current = way
      mark(text, wanted === '' ? [] : wanted.split(' '))
      return true
    }
    const watch = new MutationObserver(() => arrive() && watch.disconnect())
    if (!arrive()) watch.observe(text, { childList: true, subtree: true })
    return () => {
      watch.disconnect()
      CSS.highlights?.delete(HIGHLIGHT)
    }
  }, [root, tree, arrived, line, wanted])
}

/** The id that an address names; one that cannot be decoded names none. */
function headingOf(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return ''
  }
}

/** The innermost block that begins at the line or last before it; footnotes stand below the text, wherever the file has them. */
function blockAt(text: HTMLElement, line: number): HTMLElement | null {
  const blocks = [...text.querySelectorAll<HTMLElement>('[data-line]')]
  const lineOf = (block: HTMLElement) => Number(block.dataset.line)
  return blocks
    .filter((block) => lineOf(block) <= line)
    .reduce<HTMLElement | null>((last, block) => (last && lineOf(last) > lineOf(block) ? last : block), null)
}

function goTo(block: HTMLElement | null, hasFocus: boolean): void {
  if (!block) return
  block.scrollIntoView({ block: hasFocus ? 'center' : 'start' })
  if (!hasFocus) return
  block.tabIndex = -1
  block.focus({ preventScroll: true })
}

function mark(text: HTMLElement, words: readonly string[]): void {
  // A browser without highlights shows the place all the same.
  if (words.length > 0 && CSS.highlights)
    CSS.highlights.set(HIGHLIGHT, new Highlight(...rangesOf(text, words)))
}
