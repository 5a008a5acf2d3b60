import type { Page } from '@playwright/test'
import type { Api } from '../fixtures/api.ts'
import { expect } from './console.ts'

export const OWNER_PASSWORD = 'a journey through the garden 1'

/** The owner comes by the one-time link and sets a password; ends at the Inbox. `look` sees the page of the password. */
export async function enterByLink(page: Page, link: string, look = async () => {}): Promise<void> {
  await page.goto(link)
  await page.waitForURL(/\/set-password/)
  await look()
  await page.getByLabel('New password').fill(OWNER_PASSWORD)
  await page.getByLabel('Confirm password').fill(OWNER_PASSWORD)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.waitForURL(/\/inbox/)
  await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible()
}

/** Somebody signs in on the sign-in page, which leads on to where they wanted to go. */
export async function signInByPassword(
  page: Page,
  { name, password } = { name: 'owner', password: OWNER_PASSWORD },
): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The owner makes an account for an operator, who signs in with it; ends at the Inbox. */
export async function enterAsOperator(
  page: Page,
  owner: Api,
  account: { name: string; password: string },
): Promise<void> {
  expect((await owner.post('/auth/step-up', { password: OWNER_PASSWORD })).status).toBeLessThan(300)
  expect((await owner.post('/accounts', account)).status).toBe(201)
  await page.goto('/sign-in')
  await signInByPassword(page, account)
  await page.waitForURL(/\/inbox/)
}

/** A guest comes by a zone's code, reads the terms and agrees. `look` sees both pages. */
export async function enterZone(page: Page, code: string, look = async () => {}): Promise<void> {
  await page.goto('/zone')
  await look()
  await page.getByLabel('Zone code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Terms of access' })).toBeVisible()
  await look()
  await page.getByLabel('I have read and agree to these terms').check()
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/zone'))
}
