/**
 * What a person feels, on the built product in Chromium: LCP and CLS of each page, the time from a click on the navigation to the next
 * page's first frame, and the longest interaction (INP) of approving a proposal and of going to the next. On the machine as it is, and with
 * the processor of the page slowed down to a quarter.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import type { Api } from '../fixtures/api.ts'
import { proposeNote } from '../fixtures/work.ts'
import { awake, press } from '../pages/console.ts'
import { type Console, PAGES, withConsole } from './console.ts'
import type { Figures } from './figures.ts'
import { percentile } from './statistics.ts'

const SLOWER = [1, 4]
const DECISIONS = Number(process.env.DECISIONS ?? 12)
/** After a page is at rest: what is still to be painted or moved is done by then. */
const SETTLE_MS = 1_000
const PAUSE_MS = 400
/** Interactions shorter than this are not told one by one. */
const SHORTEST_MS = 16

type Vitals = { lcp: number; cls: number; interactions: Record<string, number> }

/** Runs in the page before everything else: what the browser tells of paints, shifts and interactions. */
function watchVitals(): void {
  const vitals: Vitals = { lcp: 0, cls: 0, interactions: {} }
  Object.assign(window, { vitals })
  const observe = (type: string, take: (entry: PerformanceEntry) => void, more: object = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
      ...more,
    })
  observe('largest-contentful-paint', (entry) => {
    vitals.lcp = entry.startTime
  })
  observe('layout-shift', (entry) => {
    if (!Reflect.get(entry, 'hadRecentInput')) vitals.cls += Reflect.get(entry, 'value')
  })
  const onEvent = (entry: PerformanceEntry) => {
    const id = String(Reflect.get(entry, 'interactionId') ?? 0)
    if (id !== '0') vitals.interactions[id] = Math.max(vitals.interactions[id] ?? 0, entry.duration)
  }
  observe('event', onEvent, { durationThreshold: 16 })
}

const vitalsOf = (page: Page): Promise<Vitals> => page.evaluate(() => Reflect.get(window, 'vitals'))

async function pageVitals(page: Page, name: string, of: string, figures: Figures): Promise<void> {
  await page.goto(`/${name}`)
  await awake(page)
  await pause(SETTLE_MS)
  const { lcp, cls } = await vitalsOf(page)
  figures.add(`/${name}${of}, LCP`, lcp, { unit: 'ms' })
  figures.add(`/${name}${of}, CLS`, cls, { unit: '', aim: { most: 0 } })
}

/** From a click on the page's link to the first frame with its heading. */
async function routeChange(page: Page, name: string, of: string, figures: Figures): Promise<void> {
  const link = page.locator(`nav a[href="/${name}"]`).first()
  if ((await link.count()) === 0) return figures.note(`/${name}: no link to it`)
  await page.evaluate((path) => {
    const change = { clicked: 0, painted: 0 }
    Object.assign(window, { change })
    addEventListener('click', () => (change.clicked = performance.now()), { capture: true, once: true })
    const before = document.querySelector('h1')
    const observer = new MutationObserver(() => {
      const now = document.querySelector('h1')
      if (location.pathname !== path || !now || now === before) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => (change.painted = performance.now())))
    })
    observer.observe(document, { subtree: true, childList: true, characterData: true })
  }, `/${name}`)
  await link.click()
  await page.waitForFunction(() => Reflect.get(window, 'change').painted > 0)
  const { clicked, painted } = await page.evaluate<{ clicked: number; painted: number }>(() =>
    Reflect.get(window, 'change'),
  )
  figures.add(`route change to /${name}${of}`, painted - clicked, { unit: 'ms', aim: { most: 100 } })
  await pause(PAUSE_MS)
}

/** The same key again and again at a person's pace; the longest of its interactions is the INP of so few. */
async function interactions(page: Page, key: string): Promise<number[]> {
  const before = new Set(Object.keys((await vitalsOf(page)).interactions))
  await press(page, key)
  for (let n = 1; n < DECISIONS; n++) {
    await pause(PAUSE_MS)
    await page.keyboard.press(key)
  }
  await pause(SETTLE_MS)
  const all = Object.entries((await vitalsOf(page)).interactions).filter(([id]) => !before.has(id))
  return all.length > 0 ? all.map(([, ms]) => ms) : [SHORTEST_MS]
}

async function deciding(page: Page, api: Api, of: string, figures: Figures): Promise<void> {
  for (let n = 0; n < 2 * DECISIONS; n++)
    await proposeNote(api, `vitals/${of.replaceAll(/\W/g, '')} ${n}.md`, `Vitals ${n}${of}`)
  await page.goto('/proposals')
  await page.locator('tbody tr[data-row]').first().waitFor()
  for (const [name, key] of [
    ['next', 'j'],
    ['approve', 'a'],
  ] as const)
    figures.add(`${name} (${key})${of}, INP`, percentile(await interactions(page, key), 1), {
      ...{ unit: 'ms', aim: { most: 200 } },
    })
}

async function measure({ browser, product, page, api }: Console, slower: number, figures: Figures) {
  const of = slower === 1 ? '' : `, ${slower} × slower`
  const storageState = await page.context().storageState()
  const context = await browser.newContext({ baseURL: product.url, storageState })
  await context.addInitScript(watchVitals)
  const slowed = await context.newPage()
  const session = await context.newCDPSession(slowed)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
  for (const name of PAGES) await pageVitals(slowed, name, of, figures)
  for (const name of PAGES) await routeChange(slowed, name, of, figures)
  await deciding(slowed, api, of, figures)
  await context.close()
}

export async function benchVitals(figures: Figures): Promise<void> {
  await withConsole({}, async (console) => {
    for (const slower of SLOWER) await measure(console, slower, figures)
  })
}
