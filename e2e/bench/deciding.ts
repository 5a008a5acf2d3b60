/**
 * Deciding in a browser by the keyboard alone, at a person's pace and under the usual limits: 50 proposals, three of them in conflict and two
 * that expire today, then 50 of 5 000. It counts keys, pointer events and refusals, times from a key to the next proposal painted, and holds the
 * review digest on screen against the trailer of each commit. Between the parts it waits until the minute of the limits is over.
 *
 *   DECISIONS (50), PENDING (5 000; 0 for the first part alone), PACE_MS (2 500) before each decision
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext } from '@playwright/test'
import { apiOf } from '../fixtures/api.ts'
import { git, hasGit } from '../fixtures/git.ts'
import { type Product, startProduct } from '../fixtures/product.ts'
import { enterByLink } from '../pages/auth.ts'
import { buildAll, withBrowser, withHome } from './console.ts'
import { fill, proposeMany, RATE_WINDOW_MS, seed, untilEnded } from './deciding-garden.ts'
import { decide, type Sitting, watchPage } from './deciding-page.ts'
import type { Breakdown, Figures } from './figures.ts'
import { median, percentile } from './statistics.ts'

const DECISIONS = Number(process.env.DECISIONS ?? 50)
const MANY = Number(process.env.PENDING ?? 5_000)
const LIMITS = { RATE_OWNER_CHANGES: '60', RATE_OWNER_READS: '600', APPLY_HOLD_SECONDS: '10' }
/** So many of the slowest steps are named. */
const SLOWEST = 5

/** How many of the approved have no commit whose trailer is the digest that was on screen. */
async function otherDigests(home: string, { decided }: Sitting): Promise<number> {
  const approvals = decided.filter(({ id }) => id !== '')
  const ids = approvals.map(({ id }) => id)
  await untilEnded(home, ids)
  if (!hasGit) return Number.NaN
  const trailer = (name: string) => `%(trailers:key=${name},valueonly,separator=)`
  const log = git(home, 'log', `--format=${trailer('Proposal-Id')}|${trailer('Review-Digest')}`)
  const trailers = new Set(log.split('\n'))
  return approvals.filter(({ id, digest }) => !trailers.has(`${id}|${digest}`)).length
}

function addFigures(figures: Figures, pending: number, sitting: Sitting): void {
  const name = `${pending} pending`
  const { decided, pointers, refused, seconds } = sitting
  const waits = decided.flatMap(({ wait, keys }, n) => (wait ? [{ ...wait, keys, nth: n + 1 }] : []))
  const ms = waits.map((wait) => wait.ms)
  const middle = (part: string) => median(waits.map(({ parts }) => parts[part] ?? 0))
  const parts = { request: middle('request'), refetch: middle('refetch'), render: middle('render') }
  const breakdown: Breakdown = { unit: 'ms', parts }
  figures.add(`key → next painted, ${name}, p50`, percentile(ms, 0.5), { unit: 'ms', breakdown })
  figures.add(`key → next painted, ${name}, p95`, percentile(ms, 0.95), { unit: 'ms', aim: { most: 100 } })
  const keys = Math.max(...decided.map((one) => one.keys.length))
  figures.add(`keys a decision at most, ${name}`, keys, { unit: '', aim: { most: 2 } })
  figures.add(`pointer events, ${name}`, pointers, { unit: '', aim: { most: 0 } })
  figures.add(`answers 429, ${name}`, refused, { unit: '', aim: { most: 0 } })
  figures.add(`decided, ${name}`, (decided.length / seconds) * 60, { unit: 'a minute', aim: { least: 8 } })
  const slowest = waits.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  figures.note(
    `${name}, slowest: ${slowest.map((one) => `${one.ms.toFixed(0)} ms (${one.nth}th, ${one.keys})`).join(', ')}`,
  )
}

async function sit(context: BrowserContext, product: Product, pending: number, figures: Figures) {
  const { home } = product
  const page = await context.newPage()
  if (pending > DECISIONS) {
    // What was decided last counts against the same limit.
    await sleep(RATE_WINDOW_MS)
    await proposeMany(apiOf(page, product.url), DECISIONS)
    await fill(home, pending - DECISIONS)
    await sleep(RATE_WINDOW_MS)
  }
  await page.addInitScript(watchPage)
  await page.goto('/proposals')
  await page.locator('tbody tr[data-row]').first().waitFor()
  const sitting = await decide(page, DECISIONS)
  addFigures(figures, pending, sitting)
  const others = await otherDigests(home, sitting)
  figures.add(`commits of another digest, ${pending} pending`, others, { unit: '', aim: { most: 0 } })
  await page.close()
}

/** Signs in and fills the garden without limits; what the browser keeps of the session. */
async function prepare(browser: Browser, home: string) {
  const product = await startProduct({ home, env: { APPLY_HOLD_SECONDS: '0' } })
  try {
    const context = await browser.newContext({ baseURL: product.url })
    const page = await context.newPage()
    await enterByLink(page, product.signInLink)
    await seed(apiOf(page, product.url), home, DECISIONS)
    const session = await context.storageState()
    await context.close()
    return session
  } finally {
    await product.stop()
  }
}

export async function benchDeciding(figures: Figures): Promise<void> {
  await buildAll()
  await withHome((home) =>
    withBrowser(async (browser) => {
      const storageState = await prepare(browser, home)
      const product = await startProduct({ home, env: LIMITS })
      try {
        const context = await browser.newContext({ baseURL: product.url, storageState })
        // The seeding was the owner's too, and has used up what the owner may change in this minute.
        await sleep(RATE_WINDOW_MS)
        for (const pending of [DECISIONS, MANY])
          if (pending > 0) await sit(context, product, pending, figures)
      } finally {
        await product.stop()
      }
    }),
  )
}
