/**
 * What the console promises whoever decides: nothing is decided without a network, after a session, or without having been seen,
 * and what is on the page stays on it.
 */
import type { Page } from '@playwright/test'
import { gardenParts } from '../fixtures/garden-files.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { expect, test } from '../fixtures/test.ts'
import { proposalIn, proposeNote } from '../fixtures/work.ts'
import { enterZone, signInByPassword } from '../pages/auth.ts'
import { heading, openPage, press } from '../pages/console.ts'
import { approve, openProposal, review, statusOf, undoTray } from '../pages/proposals.ts'
import { createZone } from '../pages/zones.ts'

const name = (what: string) => `safety/${what} ${Date.now()}.md`
const live = (page: Page) => page.locator('[data-live="live"]').first()

test('without a network nothing is decided, then or later, and the console stays', async ({
  owner: page,
  api,
  guard,
}) => {
  const id = await proposeNote(api, name('offline'), 'A note that is not decided offline')
  await openProposal(page, id)
  await press(page, 'r')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('Written while there was a network.')
  await page.context().setOffline(true)
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert')).toContainText('nothing was sent')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page.locator('[data-health=unknown]')).not.toHaveCount(0)
  await expect(review(page).getByRole('button', { name: 'Approve' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('a')
  await page.getByRole('link', { name: 'Jobs' }).first().click()
  await expect(page.getByText('this page can’t be opened')).toBeVisible()
  await guard.check(page)
  await expect(review(page)).toContainText('A note that is not decided offline')

  await page.context().setOffline(false)
  await expect(live(page)).toBeVisible()
  await proposalIn(api, id, 'PENDING')
  await press(page, 'r')
  await expect(dialog.getByLabel('Note')).toHaveValue('Written while there was a network.')
  await page.keyboard.press('Control+Enter')
  await proposalIn(api, id, 'REJECTED')
})

test('every approval can be undone in every tab, after a reload too', async ({ owner: page, api, guard }) => {
  const ids: string[] = []
  for (const n of [1, 2, 3, 4, 5, 6]) ids.push(await proposeNote(api, name(`undo ${n}`), `To undo ${n}`))
  const other = await page.context().newPage()
  await openPage(other, '/inbox', 'Inbox')
  for (const id of ids) {
    await openProposal(page, id)
    await approve(page)
    await proposalIn(api, id, 'APPROVED')
  }
  await expect(undoTray(other)).toContainText('6 approvals can be undone')
  await page.reload()
  await expect(undoTray(page)).toContainText('6 approvals can be undone')
  await guard.check(page)
  await press(other, 'u')
  await proposalIn(api, ids[5] ?? '', 'PENDING')
  await expect(other).toHaveURL(new RegExp(ids[5] ?? ''))
  await expect(undoTray(page)).toContainText('5 approvals can be undone')
  await press(page, 'U')
  for (const id of ids) await proposalIn(api, id, 'PENDING')
  await expect(undoTray(page)).toHaveCount(0)
  await expect(undoTray(other)).toHaveCount(0)
  await expect(page).toHaveURL(new RegExp(ids[0] ?? ''))
  await expect(statusOf(page)).toHaveText('Pending')
})

test('an ended session loses neither the place nor what is being written', async ({
  visit,
  owner: _owner,
  api,
  guard,
  product,
}) => {
  const id = await proposeNote(api, name('place'), 'A place to come back to')
  const page = await visit()
  const place = `/proposals/${id}?tab=history&q=place`
  await page.goto(place)
  await page.waitForURL(/\/sign-in/)
  await signInByPassword(page)
  await page.waitForURL(`**${place}`)

  await openPage(page, '/notes?q=a', 'Notes')
  await press(page, 'n')
  const form = page.getByRole('dialog', { name: 'Propose note' })
  await form.getByLabel('Path').fill(name('written'))
  await form.getByLabel('Text').fill('Written when the session ended.')
  await form.getByLabel('Summary').fill('Written when the session ended')
  await inLedger(
    product.home,
    `UPDATE session SET ended_at = now() WHERE sid = (SELECT sid FROM session WHERE identity = 'owner' ORDER BY created_at DESC LIMIT 1)`,
  )
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  await expect(again).toBeVisible()
  await guard.check(page)
  await page.keyboard.press('Escape')
  await page.goto('/notes?q=a')
  await page.waitForURL(/\/sign-in\?to=%2Fnotes%3Fq%3Da/)
  await expect(page.getByText('Your session expired')).toBeVisible()
  await guard.check(page)
  await signInByPassword(page)
  await page.waitForURL('**/notes?q=a')
  await expect(page.getByRole('button', { name: 'Propose note' })).toBeVisible()
  await press(page, 'n')
  await expect(form.getByLabel('Text')).toHaveValue('Written when the session ended.')
  await form.getByRole('button', { name: 'Propose change' }).click()
  await page.waitForURL(/\/proposals\//)
  await expect(review(page)).toContainText('Written when the session ended')
})

test('a guest’s stream lasts as long as the session', async ({ owner, visit, api, product }) => {
  const { folder } = gardenParts()
  const code = await createZone(owner, `Stream ${Date.now()}`, folder)
  const guest = await visit()
  const streams: string[] = []
  guest.on('request', (request) => {
    if (request.url().includes('/events/stream')) streams.push(request.url())
  })
  await enterZone(guest, code)
  await guest.goto('/proposals')
  await expect(heading(guest)).toHaveText('Proposals')
  await expect(live(guest)).toBeVisible()
  const opened = streams.length
  for (const n of [1, 2, 3, 4]) {
    await inLedger(product.home, `SELECT pg_notify('bloom_hint', 'test:sessions')`)
    await proposeNote(api, `${folder}/Seen at once ${n} ${Date.now()}.md`, `Seen at once ${n}`)
    await expect(guest.getByRole('heading', { name: `Seen at once ${n}` })).toBeVisible()
  }
  expect(streams.length).toBe(opened)
})

test('every answer has its security headers, and each page a nonce of its own', async ({
  owner: page,
  api,
  product,
}) => {
  const headersOf = async (path: string) => (await page.request.get(product.url + path)).headers()
  const policyOf = async (path: string) => (await headersOf(path))['content-security-policy'] ?? ''
  expect((await api.get('/zones')).status).toBe(200)
  const pages = ['/inbox', '/inbox', '/sign-in', '/nothing', '/api/v1/docs']
  const nonces = await Promise.all(
    pages.map(async (path) => /script-src 'nonce-([^']+)' 'strict-dynamic';/.exec(await policyOf(path))?.[1]),
  )
  expect(nonces).not.toContain(undefined)
  expect(new Set(nonces).size).toBe(pages.length)

  const catalogue = await page.locator('script[src^="/messages/"]').first().getAttribute('src')
  const machine = [
    '/health',
    '/metrics',
    '/api',
    '/api/v1/zones',
    '/api/v1/nothing',
    '/api/v1/openapi.json',
    '/api/trpc/nothing',
    '/api/auth/session',
    '/lease/nothing',
    '/%61pi/v1/zones',
    '/manifest.webmanifest',
    catalogue ?? 'none',
  ]
  for (const path of machine) {
    const { 'content-security-policy': policy = '', ...headers } = await headersOf(path)
    expect(policy, path).toMatch(/^default-src 'none'; script-src '(none'|nonce-)/)
    expect(headers['x-content-type-options'], path).toBe('nosniff')
    expect(headers['x-frame-options'], path).toBe('DENY')
    expect(headers['cache-control'], path).toMatch(path === catalogue ? /immutable/ : /no-store|no-cache/)
  }
  expect(await policyOf('/api/v1/zones')).toContain("script-src 'none'")
})
