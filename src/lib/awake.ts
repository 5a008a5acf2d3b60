/**
 * Whether all that the server drew of this page is taken over by React. The parts of a page are hydrated one after another, and the first render of
 * each must be of the very data that the server drew it from; the frame around them shares that data, and asks for it again as soon as it is alive. So
 * the network is heard only afterwards: no read is sent before (`trpc.tsx`), and the stream opens then (`live.tsx`), when every part is there to be told
 * what has changed since it was drawn.
 *
 * A part that is not taken over has a `Waking` in it, also while it is still hidden in the document; one that is on the way keeps the document loading.
 */
export const isAwake = (): boolean =>
  document.readyState !== 'loading' && document.querySelector('[data-waking]') === null

/** Longer than any page takes. A part that never comes, because its stream broke off, must not keep the whole page deaf. */
const PATIENCE_MS = 15_000

let waking: Promise<void> | undefined

/** Settles once the page is taken over, or when that was waited for long enough. */
export function whenAwake(): Promise<void> {
  if (isAwake()) return Promise.resolve()
  waking ??= new Promise((resolve) => {
    const watcher = new MutationObserver(check)
    const timer = setTimeout(end, PATIENCE_MS)
    function check(): void {
      if (isAwake()) end()
    }
    function end(): void {
      clearTimeout(timer)
      watcher.disconnect()
      document.removeEventListener('readystatechange', check)
      waking = undefined
      resolve()
    }
    watcher.observe(document, { childList: true, subtree: true })
    document.addEventListener('readystatechange', check)
  })
  return waking
}
