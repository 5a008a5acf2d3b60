/** The page of the control plane in a real browser: the key, what strangers name themselves, syncs, both languages, a phone. */
import type { Page } from '@playwright/test'
import { ADMIN_KEY } from '#server/control-plane/testing/control-plane-process.ts'
import { sendTo } from '#server/control-plane/testing/wire-client.ts'
import { expect, test } from '../fixtures/control-plane.ts'

const HOSTILE = '<img src=x onerror="document.title=1">'
const LONG_NAME = `${'n'.repeat(100)} “кінець”`

async function enterKey(page: Page, key = ADMIN_KEY, keep = false) {
  await page.getByLabel('Key', { exact: true }).fill(key)
  if (keep) await page.getByLabel('Keep until this tab is closed').check()
  await page.getByRole('button', { name: 'Use key' }).click()
}
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const kept = (page: Page) =>
  page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
  )

test.describe.configure({ mode: 'serial' })

test('a wrong key is told and forgotten, and the right one stays in the tab', async ({
  ui: page,
  guard,
  context,
}) => {
  const addresses: string[] = []
  context.on('request', (request) => addresses.push(request.url()))
  await expect(page.getByText('The control plane is operational.')).toBeVisible()
  for (const wrong of [`${ADMIN_KEY}x`, 'ключ', `a b`]) {
    await enterKey(page, wrong, true)
    await expect(page.getByRole('alert').first()).toContainText('This isn’t the admin key.')
    await expect(page.getByRole('heading', { name: 'Leadership' })).toBeHidden()
    expect(await kept(page)).not.toContain(wrong)
  }
  await page.getByLabel('Keep until this tab is closed').uncheck()
  await enterKey(page)
  await expect(page.getByText('No projects.')).toBeVisible()
  expect(await kept(page)).not.toContain(ADMIN_KEY)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Use key' })).toBeVisible()
  await enterKey(page, ADMIN_KEY, true)
  await expect(page.getByText('No jobs and no syncs.')).toBeVisible()
  const [stored, session, cookie, href] = JSON.parse(await kept(page))
  expect(JSON.stringify([stored, cookie, href])).not.toContain(ADMIN_KEY)
  expect(JSON.stringify(session)).toContain(ADMIN_KEY)
  await page.reload()
  await expect(page.getByText('No projects.')).toBeVisible()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await expect(page.getByRole('button', { name: 'Use key' })).toBeVisible()
  expect(await kept(page)).not.toContain(ADMIN_KEY)
  expect(addresses.join()).not.toContain(ADMIN_KEY)
  await guard.check(page)
})

test('names of strangers stay text', async ({ ui: page, plane, guard }) => {
  const beat = {
    node_id: HOSTILE,
    canonical_id: 'hostile',
    project_id: HOSTILE,
    agent_version: '<b>1</b>',
    db_sha: '"><i>',
  }
  await sendTo(plane.url, 'POST /agent/heartbeat', { body: beat })
  await sendTo(plane.url, 'POST /agents', { body: { name: HOSTILE } })
  await sendTo(plane.url, 'POST /projects', { body: { name: LONG_NAME } })
  await enterKey(page)
  await page.getByRole('button', { name: `Select: ${HOSTILE}` }).click()
  await expect(page.locator('#node-list').getByText('<b>1</b>')).toBeVisible()
  await expect(page.locator('#agent-list').getByText(HOSTILE)).toBeVisible()
  await expect(page).toHaveTitle('Membridge Control Plane')
  expect(await page.locator('main img, main b, main i, main script').count()).toBe(0)
  await guard.check(page)
})

test('a Worker Node is registered, synced and removed', async ({ ui: page, agent, guard }) => {
  await enterKey(page)
  await page.locator('#project-form').getByLabel('Name').fill('mem')
  await page.getByRole('button', { name: 'Register project' }).click()
  await expect(page.getByText('mem is registered.')).toBeVisible()
  const form = page.locator('#agent-form')
  for (const [name, path] of [
    ['works', 'ok'],
    ['blocked', 'fails'],
    ['speaks html', 'script'],
    ['gone', 'drops'],
  ] as const) {
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('URL').fill(`${agent.url}/${path}`)
    await page.getByRole('button', { name: 'Register Worker Node' }).click()
    await expect(page.getByText(`${name} is registered.`)).toBeVisible()
  }
  const push = (name: string) => page.getByRole('button', { name: `Push: ${name}` })
  await expect(push('works')).toBeDisabled()
  await page.getByRole('button', { name: 'Select: mem' }).click()
  const said = page.locator('#said')
  for (const [name, result] of [
    ['works', 'Push from works to mem: push completed'],
    ['blocked', 'Push from blocked to mem: failed. SECONDARY: push blocked by default.'],
    ['speaks html', 'Push from speaks html to mem: <script>alert(1)</script>'],
  ] as const) {
    await push(name).click()
    await expect(said).toHaveText(result)
  }
  await page.getByRole('button', { name: 'Pull: gone' }).click()
  await expect(said).toContainText('failed. http://127.0.0.1')
  await expect(page.locator('#job-list').getByRole('row')).toHaveCount(5)
  // The lease is read elsewhere: what that says is shown, never an empty card.
  await expect(page.locator('#leadership')).not.toBeEmpty()

  await page.getByRole('button', { name: 'Remove: works' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page.locator('#agent-list').page(), 'works').first()).toBeVisible()
  await page.getByRole('button', { name: 'Remove: works' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(said).toHaveText('works is removed.')
  await expect(page.getByRole('button', { name: 'Push: works' })).toHaveCount(0)
  await guard.check(page)
})

test('a promotion says who is primary, a stale one who was faster, and a long list is cut', async ({
  ui: page,
  plane,
  guard,
}) => {
  for (const node_id of ['alpha', 'beta', 'gamma'])
    await sendTo(plane.url, 'POST /agent/heartbeat', {
      body: { node_id, canonical_id: 'led.1', project_id: 'led' },
    })
  await enterKey(page)
  await page.getByRole('button', { name: 'Select: led' }).click()
  await expect(page.locator('#leadership')).toContainText('Absent')
  await expect(rowOf(page, 'gamma').last()).toBeVisible()
  const promote = async (node: string) => {
    await page.locator('#promote-node').selectOption(node)
    await page.locator('#promote-form').getByRole('button').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Promote to primary' }).click()
  }
  const hide = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, hidden)
  await promote('beta')
  await expect(page.locator('#said')).toHaveText('beta is now primary of led.')
  await expect(page.locator('#leadership')).toContainText('beta')
  await expect(rowOf(page.locator('#node-list').page(), 'beta').last()).toContainText('Primary')

  await hide(true)
  await sendTo(plane.url, 'POST /projects/led.1/leadership/select', { body: { primary_node_id: 'gamma' } })
  await promote('alpha')
  await expect(page.locator('#said')).toContainText('Not promoted: gamma is primary by now (epoch 2')
  await guard.check(page)

  const many = Array.from({ length: 500 }, (_, n) => ({ node_id: `node ${n}`, canonical_id: 'led.1' }))
  await Promise.all(many.map((body) => sendTo(plane.url, 'POST /agent/heartbeat', { body })))
  await hide(false)
  await expect(page.locator('#leadership')).toContainText('gamma')
  await expect(page.getByText('The first 500 of 503 are shown.')).toBeVisible()
  await expect(page.locator('#node-list').getByRole('row')).toHaveCount(501)
})

test('both languages, light and dark, at phone width', async ({ ui: page, guard }, info) => {
  await enterKey(page)
  await page.getByRole('button', { name: 'Select: mem' }).click()
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 800 })
      const { scroll, client } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        client: document.documentElement.clientWidth,
      }))
      expect(scroll, `${scheme} ${width}`).toBeLessThanOrEqual(client)
      await guard.check(page)
      await page.screenshot({ path: info.outputPath(`en-${scheme}-${width}.png`), fullPage: true })
    }
  await page.getByRole('button', { name: 'Українська' }).click()
  await expect(page.getByRole('heading', { name: 'Зареєстровані робочі вузли' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'uk')
  await guard.check(page)
  await page.screenshot({ path: info.outputPath('uk-dark-360.png'), fullPage: true })
})
