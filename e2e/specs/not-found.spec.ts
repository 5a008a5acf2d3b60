/** Addresses that name nothing: 404 inside the frame, the same for what a guest may not see, and the sign-in page for whoever is nobody yet. */
import { gardenParts } from '../fixtures/garden-files.ts'
import { expect, test } from '../fixtures/test.ts'
import { enterZone } from '../pages/auth.ts'
import { createZone } from '../pages/zones.ts'

const OBJECTS = [
  '/jobs/nope',
  '/jobs/00000000-0000-4000-8000-000000000000',
  '/runs/nope',
  '/artifacts/nope',
  '/agents/nope',
  '/alerts/nope',
  '/zones/nope',
  '/zones/00000000',
  '/inbox/nope',
  '/proposals/prop_2026-01-01_aaaaaaaaaaaa',
  '/notes/Nowhere/Nothing.md',
]

test('an unknown address is 404, with the frame and a way on', async ({ owner: page, guard }) => {
  for (const path of [...OBJECTS, '/nothing', '/nothing/at/all'])
    expect((await page.request.get(path)).status(), path).toBe(404)
  await page.goto('/nothing')
  await expect(page.getByRole('heading', { level: 1, name: 'Not found' })).toBeVisible()
  await page.goto('/jobs/nope')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not found, or you don’t have access')
  await guard.check(page)
  await page.getByRole('main').getByRole('link', { name: 'Show all' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible()
})

test('whoever is not signed in is asked to, whatever the address', async ({ visit }) => {
  const page = await visit()
  for (const path of ['/nothing', '/jobs/nope', '/agents/research-librarian']) {
    await page.goto(path)
    expect(new URL(page.url()).searchParams.get('to')).toBe(path)
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  }
})

test('a guest learns nothing of what is outside the zone', async ({ owner, visit }) => {
  const { folder, outside } = gardenParts()
  const code = await createZone(owner, `Not found ${Date.now()}`, folder)
  const guest = await visit()
  await enterZone(guest, code)
  for (const path of [
    `/notes/${outside}`,
    '/notes/Nowhere/Nothing.md',
    '/proposals/prop_2026-01-01_aaaaaaaaaaaa',
  ])
    expect((await guest.request.get(path)).status(), path).toBe(404)
  for (const path of ['/agents/research-librarian', '/agents/nope', '/jobs/nope']) {
    await guest.goto(path)
    await expect(guest.getByText('You don’t have access')).toBeVisible()
  }
})
