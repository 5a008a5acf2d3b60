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
import { approve, openProposal, review, statusOf } from '../pages/proposals.ts'

const name = (what: string) => `hardships/${what} ${Date.now()}.md`
const NOTE = 'Written before it went badly.'
/** What looks ready has this long to answer. */
const DEAD_MS = 2_000
/** Chromium's own "Slow 3G", and a machine six times slower than this one. */
const SLOW_3G = { offline: false, latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const SLOWER = 6

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', SLOW_3G)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
}

/** Waits until the button is painted like one that answers: enabled, and as strong as the page around it. */
async function looksReady(button: Locator): Promise<void> {
  await button.evaluate(async (element) => {
    const isReady = () => {
      if (element.closest('[aria-disabled=true], [inert]')) return false
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
  await slowDown(page)
  await page.goto('/jobs', { waitUntil: 'commit' })
  const button = page.getByRole('button', { name: 'New research job' })
  await button.waitFor()
  const painted = Date.now()
  await looksReady(button)
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.mouse.click(x + width / 2, y + height / 2)
  const dialog = page.getByRole('dialog', { name: 'New research job' })
  await expect(dialog).toBeVisible({ timeout: DEAD_MS })
  test.info().annotations.push({ type: 'painted → alive', description: `${Date.now() - painted} ms` })
  await page.keyboard.press('Escape')
  // Its code is not there yet: what stands for it takes the keys.
  await page.keyboard.press('Control+k')
  await expect(page.locator('dialog:modal')).toBeVisible({ timeout: DEAD_MS })
  await page.keyboard.press('n')
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeVisible()
  await expect(dialog).toHaveCount(0)
})

test('past the limit nothing is lost, and the same act works again', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  const id = await proposeNote(api, name('limit'), 'A note that is decided too quickly')
  await openProposal(page, id)
  await press(page, 'r')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill(NOTE)
  // As after very many changes in this minute, of which the last seconds are still to pass. A change of that very second has its slice already.
  await inLedger(
    product.home,
    `INSERT INTO rate_slice VALUES ('change:owner', date_bin('1 second', clock_timestamp() - interval '50 seconds', 'epoch'), 1000000)
      ON CONFLICT ON CONSTRAINT rate_slice_pkey DO UPDATE SET hits = excluded.hits`,
  )
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert')).toContainText('Too many requests')
  await expect(dialog.getByLabel('Note')).toHaveValue(NOTE)
  await guard.check(page)
  await proposalIn(api, id, 'PENDING')
  await expect(async () => {
    await page.keyboard.press('Control+Enter')
    await expect(dialog).toHaveCount(0, { timeout: 1_000 })
  }).toPass()
  await proposalIn(api, id, 'REJECTED')
})

test('an act at the end of the session is asked for its password, and then done', async ({
  owner: _owner,
  visit,
  session,
  api,
  guard,
  product,
}) => {
  const id = await proposeNote(api, name('session'), 'A note that outlives a session')
  const page = await visit(session.state ? { storageState: session.state } : {})
  // A session of its own ends here, not the one that the others share.
  await page.context().clearCookies()
  await page.goto(`/proposals/${id}`)
  await page.getByLabel('Name').fill('owner')
  await page.getByLabel('Password').fill(OWNER_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(statusOf(page)).toHaveText('Pending')
  await press(page, 'r')
  await page.getByRole('dialog').getByLabel('Note').fill(NOTE)
  await inLedger(
    product.home,
    `UPDATE session SET ended_at = now() WHERE sid = (SELECT sid FROM session WHERE identity = 'owner' ORDER BY created_at DESC LIMIT 1)`,
  )
  await page.keyboard.press('Control+Enter')
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  await again.getByLabel('Password').fill(OWNER_PASSWORD)
  await guard.check(page)
  await page.keyboard.press('Enter')
  await expect(again).toHaveCount(0)
  if (await page.getByRole('dialog').getByLabel('Note').isVisible())
    await page.keyboard.press('Control+Enter')
  await proposalIn(api, id, 'REJECTED')
})

test('what expired or was decided in another tab is said, and not decided again', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  const [late, taken] = [
    await proposeNote(api, name('late'), 'A note that expires under review'),
    await proposeNote(api, name('taken'), 'A note that another tab decides'),
  ]
  await openProposal(page, late)
  await inLedger(product.home, 'UPDATE proposal SET expires_at = now() WHERE proposal_id = $1', [late])
  await approve(page)
  await proposalIn(api, late, 'EXPIRED')
  await openProposal(page, late)
  await expect(statusOf(page)).toHaveText('Expired')
  await expect(review(page).getByRole('button', { name: 'Resubmit' })).toBeVisible()
  await guard.check(page)

  const other = await page.context().newPage()
  await openProposal(other, taken)
  await openProposal(page, taken)
  await approve(page)
  await expect(statusOf(other)).toHaveText(/^Approved/)
  await press(other, 'a')
  await press(other, 'r')
  await expect(other.getByRole('dialog')).toHaveCount(0)
  await expect(review(other).getByRole('button', { name: /^(Approve|Reject)/ })).toHaveCount(0)
  await guard.check(other)
})
