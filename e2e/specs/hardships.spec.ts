/**
 * What the console is when things go badly: a slow network on a slow machine, a limit reached, a session that ends under an act, a proposal
 * that expires or is decided elsewhere under one's hands. No network at all, and the end of a session under a form, are in `safety.spec.ts`.
 */
import type { Locator, Page } from '@playwright/test'
import { inLedger } from '../fixtures/ledger.ts'
import { expect, test } from '../fixtures/test.ts'
import { proposalIn, proposeNote } from '../fixtures/work.ts'
import { OWNER_PASSWORD } from '../pages/auth.ts'
import { press } from '../pages/console.ts'
import { openProposal, review, statusOf } from '../pages/proposals.ts'

const name = (what: string) => `hardships/${what} ${Date.now()}.md`
/** What looks ready has this long to answer. */
const DEAD_MS = 2_000
/** Chromium's own "Slow 3G", and a machine six times slower than this one. */
const SLOW_3G = { offline: false, latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const SLOWER = 6

async function slow(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', SLOW_3G)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
}

/** Waits until the button is painted as one that can be pressed: there, and no fainter than the page around it. */
async function looksReady(button: Locator): Promise<void> {
  await button.waitFor()
  await button.evaluate(async (element) => {
    const isReady = () => {
      if (element.closest('[aria-disabled=true], [aria-busy=true], [inert]')) return false
      for (let at: Element | null = element; at; at = at.parentElement)
        if (Number(getComputedStyle(at).opacity) < 0.9) return false
      return true
    }
    while (!isReady()) await new Promise(requestAnimationFrame)
  })
}

test('on a slow network and a slow machine what looks ready answers', async ({
  owner: _owner,
  visit,
  session,
}) => {
  const page = await visit(session.state ? { storageState: session.state } : {})
  await slow(page)
  const t0 = Date.now()
  await page.goto('/jobs', { waitUntil: 'commit' })
  const button = page.getByRole('button', { name: 'New research job' })
  await button.waitFor()
  console.log('painted', Date.now() - t0)
  await looksReady(button)
  console.log('looks ready', Date.now() - t0)
  const box = await button.boundingBox()
  if (!box) throw new Error('the button is not on the page')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await expect(page.getByRole('dialog', { name: 'New research job' })).toBeVisible({ timeout: DEAD_MS })
  console.log('answered', Date.now() - t0)
})
