/** A person at the page of proposals who decides by the keyboard alone, and what is seen of it from outside. */
import type { Page, Request } from '@playwright/test'
import { press } from '../pages/console.ts'
import { type Span, splitWait } from './statistics.ts'

/** What a person takes to look at one. */
const PACE_MS = Number(process.env.PACE_MS ?? 2_500)

/** From the last of its keys to the next one painted; null where there was none left. */
export type Wait = { ms: number; parts: Record<string, number> }
export type Decided = { id: string; digest: string; keys: string; wait: Wait | null }
export type Sitting = { decided: Decided[]; pointers: number; refused: number; seconds: number }

/** What the page tells; times in milliseconds of the machine's clock. */
type Seen = { pointers: number; painted: Span[] }

/** Runs in the page before everything else: counts pointers, and times from a key to the frame in which another proposal is on screen. */
export function watchPage(): void {
  const seen: Seen = { pointers: 0, painted: [] }
  Object.assign(window, { deciding: seen })
  const now = () => performance.timeOrigin + performance.now()
  let key = 0
  let shown = ''
  addEventListener('pointerdown', () => seen.pointers++, true)
  addEventListener('keydown', () => (key = now()), true)
  new MutationObserver(() => {
    const review = document.querySelector<HTMLElement>('[data-review]')
    const id = review?.dataset.review ?? ''
    if (id === shown || !review?.querySelector('[data-diff]')) return
    shown = id
    requestAnimationFrame(() => setTimeout(() => seen.painted.push({ from: key, to: now() })))
  }).observe(document, { subtree: true, childList: true, attributes: true })
}

/** The calls of the page, by what they are: changes, and reads. */
function watchCalls(page: Page) {
  const calls = { request: [] as Span[], refetch: [] as Span[], refused: 0 }
  page.on('requestfinished', (request: Request) => {
    if (!request.url().includes('/api/trpc/')) return
    const { startTime, responseEnd } = request.timing()
    const kind = request.method() === 'POST' ? 'request' : 'refetch'
    calls[kind].push({ from: startTime, to: startTime + Math.max(0, responseEnd) })
  })
  page.on('response', (response) => {
    if (response.status() === 429) calls.refused++
  })
  return calls
}

/** The proposal on screen, with its diff drawn, once it is another than the last one. */
async function nextReview(page: Page, last: string): Promise<{ id: string; digest: string }> {
  const shown = await page.waitForFunction((before) => {
    const one = document.querySelector<HTMLElement>('[data-review]')
    const { review: id = '', digest = '' } = one?.dataset ?? {}
    return id !== '' && id !== before && one?.querySelector('[data-diff]') ? { id, digest } : null
  }, last)
  return (await shown.jsonValue()) ?? { id: '', digest: '' }
}

/** Decides one after the other: approves what can be approved as it stands, snoozes what is in conflict. */
export async function decide(page: Page, count: number): Promise<Sitting> {
  const calls = watchCalls(page)
  // Awake and live first: what is pressed before is lost.
  await press(page, 'j')
  const began = performance.now()
  const decided: Omit<Decided, 'wait'>[] = []
  let last = ''
  while (decided.length < count) {
    const at = await nextReview(page, last)
    last = at.id
    await page.waitForTimeout(PACE_MS)
    const approve = await page
      .getByRole('article')
      .getByRole('button', { name: /^Approve/ })
      .count()
    const keys = approve > 0 ? ['a'] : ['z', '1']
    for (const key of keys) await page.keyboard.press(key)
    decided.push({ ...(approve > 0 ? at : { id: '', digest: '' }), keys: keys.join('') })
  }
  await page.waitForTimeout(PACE_MS)
  const seconds = (performance.now() - began) / 1_000
  const seen = await page.evaluate<Seen>(() => Reflect.get(window, 'deciding'))
  // The first was led to by `j`.
  const [, ...painted] = seen.painted
  const waitOf = (span: Span): Wait => ({
    ms: span.to - span.from,
    parts: splitWait(span, { request: calls.request, refetch: calls.refetch }, 'render'),
  })
  const timed = decided.map((one, n) => ({ ...one, wait: painted[n] ? waitOf(painted[n]) : null }))
  return { decided: timed, pointers: seen.pointers, refused: calls.refused, seconds }
}
